/** Draws the curves of a device: the band between minimum and maximum, bounds, breaches, gaps and changes. */

const HEIGHT = 220;
const [HOUR, DAY, MONTH, YEAR] = [3600, 86_400, 2_592_000, 31_536_000];
/** By the distance of ticks: the label of each, and the addition where a year or a day begins. */
const TICKS = [
  [YEAR, '{YYYY}', null, null, null, null, null, null, 1],
  [MONTH, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [DAY, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [HOUR, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
];
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const number = (value) =>
  value === null || value === undefined ? '–' : value.toFixed(Math.abs(value) < 100 ? 1 : 0);

const toLabels = (splits) => (splits.every(Number.isInteger) ? splits.map(String) : splits.map(number));

/** Shades the spans of time over the whole height. */
function shade(chart, spans, fill) {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = fill;
  for (const { from, to } of spans) {
    const left = Math.max(chart.valToPos(from, 'x', true), bbox.left);
    const right = Math.min(chart.valToPos(to, 'x', true), bbox.left + bbox.width);
    if (right > left) ctx.fillRect(left, bbox.top, Math.max(right - left, 1), bbox.height);
  }
  ctx.restore();
}

function line(chart, [x1, y1], [x2, y2], { stroke, dash }) {
  const { ctx } = chart;
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash(dash.map((each) => each * devicePixelRatio));
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
  ctx.restore();
}

/** Draws a step for each time in which bounds were in force. */
function drawBounds(chart, bounds) {
  const { left, top, width, height } = chart.bbox;
  const toX = (at) => Math.min(Math.max(chart.valToPos(at, 'x', true), left), left + width);
  for (const { from, to, lowC, highC } of bounds) {
    for (const value of [lowC, highC]) {
      if (value === null) continue;
      const y = chart.valToPos(value, 'y', true);
      if (y >= top && y <= top + height)
        line(chart, [toX(from), y], [toX(to), y], { stroke: colour('--bad'), dash: [6, 4] });
    }
  }
}

/** Draws a line where the device reported another configuration, with the name of the profile. */
function drawChanges(chart, changes) {
  const { ctx, bbox } = chart;
  const { left, top, width, height } = bbox;
  ctx.save();
  ctx.fillStyle = colour('--text');
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  for (const { at, profile } of changes) {
    const x = chart.valToPos(at, 'x', true);
    if (x < left || x > left + width) continue;
    line(chart, [x, top], [x, top + height], { stroke: colour('--accent'), dash: [2, 3] });
    const isNearEnd = x > left + width / 2;
    ctx.textAlign = isNearEnd ? 'right' : 'left';
    ctx.fillText(profile, x + (isNearEnd ? -4 : 4) * devicePixelRatio, top + 2 * devicePixelRatio);
  }
  ctx.restore();
}

/** Includes the bounds in the picture, even while all values are far from them. */
function rangeOf({ bounds }) {
  const levels = bounds.flatMap(({ lowC, highC }) => [lowC, highC]).filter((value) => value !== null);
  return (_chart, low, high) => {
    if (low === null || high === null) return [0, 1];
    const bottom = Math.min(low, ...levels);
    const top = Math.max(high, ...levels);
    const margin = Math.max((top - bottom) * 0.08, 0.5);
    return [bottom - margin, top + margin];
  };
}

/** Indices of points without a line, because their neighbours are beyond a gap: they are drawn as dots. */
function lonePoints(chart, series) {
  const values = chart.data[series];
  const hasValue = (index) => isNumber(values[index] ?? null);
  return [...values.keys()].filter(
    (index) => hasValue(index) && !hasValue(index - 1) && !hasValue(index + 1),
  );
}

function optionsOf(curve, { from, to, changes }, { width, onDrawn }) {
  const text = colour('--quiet');
  const isSparse = curve.times.length < 40;
  const grid = { stroke: colour('--line'), width: 1 };
  const axis = { stroke: text, grid, ticks: grid, font: '12px system-ui, sans-serif' };
  const value = (_chart, each) => `${number(each)} ${curve.unit}`;
  const band = { stroke: 'transparent', points: { show: false }, value };
  const under = (chart) => {
    shade(chart, curve.gaps, colour('--shade'));
    shade(
      chart,
      curve.alerts.map((alert) => ({ ...alert, to: alert.to ?? to })),
      colour('--bad-shade'),
    );
  };
  const over = (chart) => {
    drawBounds(chart, curve.bounds);
    drawChanges(chart, changes);
  };
  return {
    width,
    height: HEIGHT,
    scales: { x: { min: from, max: to }, y: { range: rangeOf(curve) } },
    axes: [
      { ...axis, values: TICKS },
      { ...axis, size: 56, values: (_chart, splits) => toLabels(splits) },
    ],
    series: [
      { value: '{YYYY}-{MM}-{DD} {HH}:{mm}' },
      { ...band, label: 'Min' },
      { ...band, label: 'Max' },
      {
        label: 'Average',
        stroke: colour('--accent'),
        width: 1.5,
        value,
        points: { show: isSparse, filter: isSparse ? null : lonePoints, size: 5, fill: colour('--accent') },
      },
    ],
    bands: [{ series: [2, 1], fill: colour('--accent-shade') }],
    cursor: { drag: { x: true, y: false } },
    hooks: { drawAxes: [under], draw: [over], ready: [onDrawn] },
  };
}

function figureOf(curve, data) {
  const figure = document.createElement('figure');
  const caption = document.createElement('figcaption');
  const place = curve.position === null ? '' : ` (${curve.position})`;
  const [low, high] = [Math.min(...curve.min.filter(isNumber)), Math.max(...curve.max.filter(isNumber))];
  const marks = [
    counted(curve.alerts, 'alert'),
    counted(curve.gaps, 'gap'),
    counted(data.changes, 'configuration change'),
  ];
  caption.textContent = `Channel ${curve.channel}, ${curve.type.replaceAll('_', ' ')}${place}: ${number(low)} to ${number(high)} ${curve.unit}${marks.join('')}`;
  const canvas = document.createElement('div');
  canvas.className = 'canvas';
  canvas.setAttribute('aria-hidden', 'true');
  figure.append(caption, canvas);
  return { figure, draw: () => draw(curve, data, canvas) };
}

const counted = ({ length }, noun) => (length === 0 ? '' : `, ${length} ${noun}${length === 1 ? '' : 's'}`);

const isNumber = (value) => value !== null;

/** Resolves when the curve is on the canvas. */
async function draw(curve, data, target) {
  const points = [curve.times, curve.min, curve.max, curve.avg];
  const create = (onDrawn = () => {}) =>
    new uPlot(optionsOf(curve, data, { width: target.clientWidth, onDrawn }), points, target);
  let chart;
  await new Promise((onDrawn) => {
    chart = create(onDrawn);
  });
  new ResizeObserver(() => chart.setSize({ width: target.clientWidth, height: HEIGHT })).observe(target);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    chart.destroy();
    chart = create();
  });
}

async function show(target) {
  const answer = await fetch(target.dataset.curve);
  const note = document.createElement('p');
  note.className = 'empty';
  target.replaceChildren(note);
  if (!answer.ok) {
    note.textContent = 'The curve could not be read. Load the page again.';
    return;
  }
  const data = await answer.json();
  if (data.curves.length === 0) {
    note.textContent = 'Nothing was measured in this span.';
    return;
  }
  const startedAt = performance.now();
  const figures = data.curves.map((curve) => figureOf(curve, data));
  target.replaceChildren(...figures.map(({ figure }) => figure));
  await Promise.all(figures.map((each) => each.draw()));
  target.dataset.drawnMs = (performance.now() - startedAt).toFixed(1);
}

for (const target of document.querySelectorAll('[data-curve]')) void show(target);
