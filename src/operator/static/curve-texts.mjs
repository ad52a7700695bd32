/** A curve in words and numbers, beside and below the picture. */
import { averageAt, DASHES, isNumber, number, seriesName } from './curve-chart.mjs';
import { toClock, toClockAfter } from './times.mjs';

const LISTED_MAX = 100;
const at = (seconds) => new Date(seconds * 1000);

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const counted = ({ length }, noun) => (length === 0 ? '' : `, ${length} ${noun}${length === 1 ? '' : 's'}`);

/** Numbers of marks in words, each with a comma before it. */
const marksText = ({ alerts, gaps, data }) =>
  [
    counted(alerts, 'alert'),
    counted(gaps, 'gap'),
    counted(data.changes, 'configuration change'),
    data.mutes.length === 0 ? '' : `, ${data.mutes.length} × maintenance`,
    counted(data.notes, 'note'),
  ].join('');

export function captionOf(chart) {
  const values = (name) => chart.series.flatMap(({ curve }) => curve[name].filter(isNumber));
  const low = values('min').reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const high = values('max').reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const [{ curve, data }] = chart.series;
  const marks = chart.isCompared ? '' : marksText({ ...curve, data });
  return `${chart.title}: ${number(low)} to ${number(high)} ${chart.unit}${marks}`;
}

/** The line of a device as a sample, by colour and dashes. */
function sampleOf({ index }) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 28 8');
  svg.setAttribute('class', 'sample');
  svg.style.stroke = `var(--series-${index + 1})`;
  const path = document.createElementNS(svg.namespaceURI, 'path');
  path.setAttribute('d', 'M0 4h28');
  path.setAttribute('stroke-dasharray', DASHES[index].join(' '));
  svg.append(path);
  return svg;
}

/** Values under the cursor, or the last ones. */
export function createReadout(chart) {
  const time = element('span', { className: 'quiet' });
  const places = chart.series.map((each) => {
    const value = element('strong');
    const parts = chart.isCompared ? [sampleOf(each), ` ${seriesName(each, chart)} `] : [];
    return { value, item: element('span', { className: 'reading' }, ...parts, value) };
  });
  const textAt = (picture, index, series) => {
    const [min, max, average] = [2, 1, 0].map((back) => picture.data[averageAt(series) - back][index]);
    if (!isNumber(average)) return '–';
    const spread = min === max ? '' : ` (${number(min)} to ${number(max)})`;
    return `${number(average)} ${chart.unit}${spread}`;
  };
  return {
    node: element('p', { className: 'readout' }, time, ...places.map(({ item }) => item)),
    show(picture) {
      const { idx, idxs } = picture.cursor;
      const last = picture.data[0].length - 1;
      const index = idx ?? last;
      time.textContent = index < 0 ? '' : toClock(at(picture.data[0][index]));
      for (const [series, { value }] of places.entries()) {
        const own = isNumber(idx)
          ? (idxs[averageAt(series)] ?? idx)
          : picture.data[averageAt(series)].findLastIndex(isNumber);
        value.textContent = textAt(picture, own, series);
      }
    },
    text: () => [time.textContent, ...places.map(({ item }) => item.textContent.trim())].join(', '),
  };
}

const timeOf = (seconds) => toClock(at(seconds));

const span = (from, to) =>
  to === null ? `${timeOf(from)}, still open` : `${timeOf(from)} to ${toClockAfter(at(from), at(to))}`;

/** Settings follow each other with the same bounds, which are said once. */
function joined(bounds) {
  const steps = [];
  for (const each of bounds.toSorted((a, b) => a.from - b.from)) {
    const last = steps.find(
      ({ to, lowC, highC }) => to === each.from && lowC === each.lowC && highC === each.highC,
    );
    if (last) last.to = each.to;
    else steps.push({ ...each });
  }
  return steps;
}

function boundsText({ lowC, highC }) {
  if (lowC === null) return `at most ${number(highC)} °C`;
  return highC === null ? `at least ${number(lowC)} °C` : `${number(lowC)} to ${number(highC)} °C`;
}

/** Marks of a device: when they begin, in words, with the page that has more. */
function eventsOf({ alerts, curves, changes, mutes, notes, from: begin, knownUntil }) {
  const nameOf = (channel) => {
    const position = curves.find((each) => each.channel === channel && each.position)?.position;
    return position ? `${position} (channel ${channel})` : `channel ${channel}`;
  };
  return [
    ...alerts.map(({ id, name, channel, from, to }) => ({
      from,
      when: span(from, to),
      text: `alert, ${name}${channel === null ? '' : `, ${nameOf(channel)}`}`,
      href: `/operator/alerts/${id}`,
    })),
    ...curves.flatMap(({ gaps, channel }) =>
      gaps.map(({ from, to }) => ({ from, when: span(from, to), text: `no values of ${nameOf(channel)}` })),
    ),
    ...curves.flatMap(({ bounds, channel }) =>
      joined(bounds).map((each) => {
        const [from, to] = [Math.max(each.from, begin), Math.min(each.to, knownUntil)];
        return { from, when: span(from, to), text: `bounds of ${nameOf(channel)}: ${boundsText(each)}` };
      }),
    ),
    ...changes.map(({ at: from, profile }) => ({
      from,
      when: timeOf(from),
      text: `configuration by profile ${profile}`,
    })),
    ...mutes.map(({ from, to, reason }) => ({ from, when: span(from, to), text: `maintenance, ${reason}` })),
    ...notes.map(({ at: from, by, text, alertId }) => ({
      from,
      when: timeOf(from),
      text: `note of ${by ?? 'the service'}, ${text}`,
      href: `/operator/alerts/${alertId}`,
    })),
  ];
}

/** All marks in words, newest first, because a screen reader cannot read the picture. */
export function happenedIn(devices) {
  const isCompared = devices.length > 1;
  const events = devices.flatMap(({ name, data }) => eventsOf(data).map((event) => ({ name, ...event })));
  if (events.length === 0) return [];
  const listed = events.sort((a, b) => b.from - a.from).slice(0, LISTED_MAX);
  const items = listed.map(({ name, when, text, href }) => {
    const textContent = `${when}: ${isCompared ? `${name}: ` : ''}${text}`;
    return element('li', {}, href ? element('a', { href, textContent }) : textContent);
  });
  const more = events.length > LISTED_MAX ? ` (the latest ${LISTED_MAX})` : '';
  const title = `Alerts, gaps, bounds, configurations, maintenance and notes: ${events.length}${more}`;
  const summary = element('summary', { textContent: title });
  return [element('details', { className: 'happened' }, summary, element('ul', {}, ...items))];
}

/** Explains the marks that are in the picture. */
export function legendOf(devices) {
  const isCompared = devices.length > 1;
  const has = (pick) => devices.some(({ data }) => pick(data).length > 0);
  const entries = [
    ['alert', 'alert', has(({ alerts }) => alerts)],
    ['gap', 'gap', !isCompared && has(({ curves }) => curves.flatMap(({ gaps }) => gaps))],
    ['mute', 'maintenance', !isCompared && has(({ mutes }) => mutes)],
    ['change', 'configuration', !isCompared && has(({ changes }) => changes)],
    ['note', 'note', !isCompared && has(({ notes }) => notes)],
    [
      isCompared ? 'limit' : 'bound',
      isCompared ? 'bounds, in the colour of the device' : 'bounds',
      has(({ curves }) => curves.flatMap(({ bounds }) => bounds)),
    ],
  ].filter(([, , isShown]) => isShown);
  if (entries.length === 0) return [];
  const items = entries.map(([name, text]) =>
    element('li', {}, element('span', { className: `mark-${name}`, ariaHidden: 'true' }), text),
  );
  return [element('ul', { className: 'legend marks' }, ...items)];
}
