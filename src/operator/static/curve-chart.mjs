/** One picture: the lines of a channel, of one device or of several, with the marks around them. */
import { colour, drawOver, drawUnder, LANE } from './curve-marks.mjs';

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
/** By device, so that lines differ without their colour. */
export const DASHES = [[], [9, 3], [2, 3], [9, 3, 2, 3], [16, 5]];
/** Half the width of a label: the last one is centred on the end of the axis. */
const LABEL_HALF = 24;
const FEW_POINTS = 40;
/** A reading is read from this far, in points. */
const NEAR = 60;

export const number = (value) =>
  isNumber(value) ? value.toLocaleString('en', { maximumFractionDigits: 3, signDisplay: 'negative' }) : '–';

export const isNumber = (value) => value !== null && value !== undefined;

const toLabels = (splits) => (splits.every(Number.isInteger) ? splits.map(String) : splits.map(number));

const channelName = ({ type, position }) =>
  `${type.replaceAll('_', ' ')}${position === null ? '' : ` (${position})`}`;
const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * The pictures of the devices: one for each channel of a single device, and one for each kind of channel of several.
 * `devices` are { name, data }.
 */
export function toCharts(devices) {
  const isCompared = devices.length > 1;
  const charts = new Map();
  for (const [index, { name, data }] of devices.entries()) {
    for (const curve of data.curves) {
      const kind = isCompared ? channelName(curve) : `${curve.channel} ${curve.type}`;
      const title = isCompared
        ? capitalized(channelName(curve))
        : `Channel ${curve.channel}, ${channelName(curve)}`;
      const chart = charts.get(kind) ?? { title, unit: curve.unit, isCompared, series: [] };
      charts.set(kind, chart);
      chart.series.push({ name, index, curve, data });
    }
  }
  return [...charts.values()];
}

/** A device may have two channels of a kind. */
export const seriesName = ({ name, curve }, { series }) =>
  series.filter((each) => each.name === name).length > 1 ? `${name}, channel ${curve.channel}` : name;

/** Includes the bounds in the picture, even while all values are far from them. */
function rangeOf(chart, span) {
  return (picture, low, high) => {
    if (low === null || high === null) return [0, 1];
    // The first range is asked for before the picture has its span.
    const [min, max] = [picture.scales.x.min ?? span.from, picture.scales.x.max ?? span.to];
    const levels = chart.series
      .flatMap(({ curve }) => curve.bounds)
      .filter(({ from, to }) => from < max && to > min)
      .flatMap(({ lowC, highC }) => [lowC, highC])
      .filter(isNumber);
    const [bottom, top] = [Math.min(low, ...levels), Math.max(high, ...levels)];
    const margin = Math.max((top - bottom) * 0.08, 0.5);
    return [bottom - margin, top + margin];
  };
}

/** Indexes of points without a line, because their neighbours are beyond a gap: they are drawn as dots. */
function lonePoints(picture, series) {
  const values = picture.data[series];
  const lone = [];
  let isJoined = false;
  let last = -1;
  for (const [index, value] of values.entries()) {
    // The times of other devices do not interrupt a line.
    if (value === undefined) continue;
    if (value === null) {
      if (last >= 0 && !isJoined) lone.push(last);
      last = -1;
      isJoined = false;
    } else {
      if (last >= 0) isJoined = true;
      last = index;
    }
  }
  if (last >= 0 && !isJoined) lone.push(last);
  return lone;
}

/** The nearest value of this series: other devices measure at other times. */
function nearest(picture, series, index) {
  const values = picture.data[series];
  if (!isNumber(index) || isNumber(values[index])) return index;
  for (let step = 1; step < NEAR; step++) {
    if (isNumber(values[index - step])) return index - step;
    if (isNumber(values[index + step])) return index + step;
  }
  return index;
}

/** Of `uPlot.join`: a gap of one device stays one between the times of others. */
const KEEP_GAPS = 2;

/** Times, then minimum, maximum and average of each series. */
function dataOf({ series }) {
  const tables = series.map(({ curve: { times, min, max, avg } }) => [times, min, max, avg]);
  const modes = tables.map((table) => table.map(() => KEEP_GAPS));
  return tables.length === 1 ? tables[0] : uPlot.join(tables, modes);
}

export const averageAt = (index) => 3 * index + 3;

function seriesOptions(chart) {
  return chart.series.flatMap(({ stroke, index, curve }) => {
    // A state holds until it changes.
    const paths = curve.isState ? uPlot.paths.stepped({ align: 1 }) : undefined;
    const band = { stroke: 'transparent', paths, points: { show: false } };
    const isSparse = curve.times.length < FEW_POINTS;
    const points = { show: isSparse, filter: isSparse ? null : lonePoints, size: 5, fill: stroke };
    return [band, band, { stroke, width: 1.5, dash: DASHES[index], paths, points }];
  });
}

function optionsOf(chart, { span, width, on }) {
  const grid = { stroke: colour('--line'), width: 1 };
  const axis = { stroke: colour('--quiet'), grid, ticks: grid, font: '12px system-ui, sans-serif' };
  const isShared = (type) => type === 'mousemove' || type === 'mouseleave';
  return {
    width,
    height: HEIGHT + LANE,
    padding: [LANE, LABEL_HALF, 0, 0],
    legend: { show: false },
    scales: { x: { min: span.from, max: span.to }, y: { range: rangeOf(chart, span) } },
    axes: [
      { ...axis, values: TICKS },
      { ...axis, size: 56, values: (_picture, splits) => toLabels(splits) },
    ],
    series: [{}, ...seriesOptions(chart)],
    bands: chart.series.map(({ shade }, index) => ({
      series: [averageAt(index) - 1, averageAt(index) - 2],
      fill: shade,
    })),
    cursor: {
      drag: { x: true, y: false, setScale: false },
      sync: { key: 'curve', scales: ['x', null], filters: { pub: isShared } },
      bind: { dblclick: () => () => on.back() },
      dataIdx: nearest,
    },
    hooks: {
      drawAxes: [(picture) => drawUnder(picture, chart)],
      draw: [(picture) => drawOver(picture, chart)],
      ready: [on.ready],
      setCursor: [on.cursor],
      setSelect: [(picture) => select(picture, on.select)],
    },
  };
}

/** Takes the marked part as the new span, and the mark away. */
function select(picture, onSelect) {
  const { left, width } = picture.select;
  if (width < 4) return;
  const [from, to] = [left, left + width].map((x) => picture.posToVal(x, 'x'));
  picture.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onSelect({ from, to });
}

/** Takes the colours of the moment, for light or dark. */
function paint(chart) {
  const { isCompared, series } = chart;
  const painted = series.map((each) => {
    const stroke = colour(isCompared ? `--series-${each.index + 1}` : '--accent');
    return { ...each, stroke, shade: isCompared ? `${stroke}22` : colour('--accent-shade') };
  });
  return { ...chart, series: painted };
}

/** Resolves with the picture when it is on the canvas. `on` has select, back and cursor. */
export async function drawChart(chart, target, { span, on }) {
  const painted = paint(chart);
  let picture;
  await new Promise((ready) => {
    const options = optionsOf(painted, { span, width: target.clientWidth, on: { ...on, ready } });
    picture = new uPlot(options, dataOf(painted), target);
  });
  return picture;
}

export const resize = (picture, width) => picture.setSize({ width, height: HEIGHT + LANE });
