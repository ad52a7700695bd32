/** A chart of a record: the curves of one channel, or of the same channel of several devices. */
import type PDFDocument from 'pdfkit';
import type { Span } from '../devices/settings.ts';
import { type Tick, timeTicks, valueTicks } from './axis.ts';
import type { ComparedChannel } from './comparison.ts';
import { CURVE_COLUMNS, type CurveColumn, joinable } from './curve.ts';

export const MARGIN = 48;
export const WIDTH = 595 - 2 * MARGIN;
export const CHART_HEIGHT = 164;
/** Above the chart are the unit and the time zone, below it the times. */
const CHART_HEAD = 14;
const CHART_FOOT = 20;
const TICKS_MAX = 5;
const TICK_LABEL_WIDTH = 100;
/** A bound is labelled where it is in force for at least this width. */
const BOUND_LABEL_WIDTH = 60;
/** Space beside the chart for the values at its edges. */
const AXIS_WIDTH = 34;

export type Page = InstanceType<typeof PDFDocument>;

/** The look of a channel that is alone in its chart. */
export const SINGLE = { color: '#205080', dash: null };

interface ChartOptions {
  timezone: string;
  top: number;
}

export function drawChart(
  page: Page,
  lines: readonly ComparedChannel[],
  { timezone, top }: ChartOptions,
): void {
  const isAlone = lines.length === 1;
  const from = Math.min(...lines.map(({ statistics }) => statistics.from));
  const to = Math.max(...lines.map(({ statistics }) => statistics.to));
  const area = {
    left: MARGIN + AXIS_WIDTH,
    top: top + CHART_HEAD,
    width: WIDTH - AXIS_WIDTH,
    height: CHART_HEIGHT - CHART_HEAD - CHART_FOOT,
  };
  const bottom = area.top + area.height;
  const values = lines.flatMap(({ channel: { min, max, alerts } }) =>
    [min, max, ...alerts.flatMap(({ lowC, highC }) => [lowC, highC])].filter((each) => each !== null),
  );
  const [first = 0] = values;
  const low = values.reduce((lowest, value) => Math.min(lowest, value), first);
  const high = values.reduce((highest, value) => Math.max(highest, value), first);
  const toX = (at: number) => area.left + ((at - from) / (to - from || 1)) * area.width;
  // Keeps the curve, bounds and their labels off the frame.
  const margin = (high - low) / 8 || 1;
  const toY = (value: number) => bottom - ((value - low + margin) / (high - low + 2 * margin)) * area.height;
  const shade = (spans: Span[], color: string) => {
    for (const each of spans) {
      const [left, right] = [toX(Math.max(each.from, from)), toX(Math.min(each.to, to))];
      if (right > left) page.rect(left, area.top, right - left, area.height).fill(color);
    }
  };
  // Makes gaps visible within an alert, too.
  page.fillOpacity(0.5);
  for (const { statistics, channel } of lines) {
    // Gaps of several devices would hide one another.
    if (isAlone) shade(channel.gaps, '#cccccc');
    shade(
      statistics.alerts.filter(({ details }) => 'value' in details && details.channel === channel.channel),
      '#eeb8b8',
    );
  }
  page.fillOpacity(1);
  const scales = { toX, toY };
  drawValues(page, valueTicks(low - margin, high + margin, TICKS_MAX), { ...area, ...scales });
  drawTimes(page, timeTicks({ from, to }, timezone, TICKS_MAX), { ...area, ...scales });
  page.lineWidth(0.5).strokeColor('#999999').rect(area.left, area.top, area.width, area.height).stroke();
  for (const line of lines) {
    if (isAlone) drawBounds(page, line.channel, scales);
    else drawPlainBounds(page, line, scales);
    drawCurve(page, line, scales);
  }
  const [{ channel }] = lines as readonly [ComparedChannel];
  page.fontSize(7).fillColor('black');
  page.text(channel.unit || channel.type, MARGIN, top + 4, { lineBreak: false });
  page.text(`Times in ${timezone}`, area.left, top + 4, {
    width: area.width,
    align: 'right',
    lineBreak: false,
  });
}

interface Scales {
  toX(at: number): number;
  toY(value: number): number;
}

type AxisArea = Scales & { left: number; top: number; width: number; height: number };

function drawValues(page: Page, ticks: Tick[], { toY, left, width }: AxisArea): void {
  for (const { at, label } of ticks) {
    page.rect(left, toY(at), width, 0.3).fill('#dddddd');
    page.fontSize(7).fillColor('black');
    page.text(label, MARGIN, toY(at) - 3, { width: AXIS_WIDTH - 4, align: 'right', lineBreak: false });
  }
}

function drawTimes(page: Page, ticks: Tick[], { toX, top, height }: AxisArea): void {
  for (const { at, label } of ticks) {
    page.rect(toX(at), top + height, 0.5, 3).fill('#999999');
    const left = Math.min(
      Math.max(toX(at) - TICK_LABEL_WIDTH / 2, MARGIN),
      MARGIN + WIDTH - TICK_LABEL_WIDTH,
    );
    page.fontSize(7).fillColor('black');
    page.text(label, left, top + height + 6, { width: TICK_LABEL_WIDTH, align: 'center', lineBreak: false });
  }
}

/** Draws a step for each time in which bounds were in force. */
function drawBounds(page: Page, { alerts }: ComparedChannel['channel'], { toX, toY }: Scales): void {
  page.strokeColor('#cc3333').fontSize(7).fillColor('#aa2222');
  for (const { lowC, highC, from, to } of alerts) {
    for (const [bound, text, above] of [
      [lowC, `at least ${lowC} °C`, -2],
      [highC, `at most ${highC} °C`, 8],
    ] as const) {
      if (bound === null) continue;
      page.moveTo(toX(from), toY(bound)).lineTo(toX(to), toY(bound)).stroke();
      if (toX(to) - toX(from) < BOUND_LABEL_WIDTH) continue;
      page.text(text, toX(from) + 3, toY(bound) - above, { lineBreak: false });
    }
  }
}

/** Without labels, which would cover one another. */
function drawPlainBounds(page: Page, { channel, color }: ComparedChannel, { toX, toY }: Scales): void {
  page.strokeColor(color).lineWidth(0.5).dash(1, { space: 2 });
  for (const { lowC, highC, from, to } of channel.alerts)
    for (const bound of [lowC, highC])
      if (bound !== null) page.moveTo(toX(from), toY(bound)).lineTo(toX(to), toY(bound)).stroke();
  page.undash();
}

/** Draws a vertical stroke from minimum to maximum of each column, and a line to the next one. */
function drawCurve(
  page: Page,
  { statistics, channel, color, dash }: ComparedChannel,
  { toX, toY }: Scales,
): void {
  const { from, to, curves } = statistics;
  const columns = curves.columnsOf(channel.channel, channel.typeNumber);
  const xOf = ({ column }: CurveColumn) => toX(from + ((column + 0.5) / CURVE_COLUMNS) * (to - from));
  const toMiddle = ({ min, max }: CurveColumn) => toY((min + max) / 2);
  page.strokeColor(color).lineWidth((WIDTH - AXIS_WIDTH) / CURVE_COLUMNS);
  if (dash) page.dash(dash.length, { space: dash.space });
  for (const [before, next] of joinable(columns, statistics, channel)) {
    page.moveTo(xOf(before), toMiddle(before));
    // A state holds until it changes.
    if (channel.isState) page.lineTo(xOf(next), toMiddle(before));
    page.lineTo(xOf(next), toMiddle(next));
  }
  page.stroke().undash();
  for (const each of columns) {
    const x = xOf(each);
    // At least as high as it is wide, so that a single value is visible.
    page.moveTo(x, toY(each.min) + 0.5).lineTo(x, toY(each.max) - 0.5);
  }
  page.stroke();
}
