/**
 * The record for auditors: measured values in numbers and as a curve per channel, and the settings in force.
 */
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type PDFDocument from 'pdfkit';
import type { Span } from '../devices/settings.ts';
import { type Tick, timeTicks, valueTicks } from './axis.ts';
import { CURVE_COLUMNS, type CurveColumn, joinable } from './curve.ts';
import {
  type Channel,
  channelLines,
  emptyLine,
  headLines,
  maintenanceLines,
  type RecordOptions,
  settingsLines,
} from './record-text.ts';
import type { Statistics } from './statistics.service.ts';

const MARGIN = 48;
const WIDTH = 595 - 2 * MARGIN;
const BOTTOM = 780;
const LINE_HEIGHT = 12;
const CHART_HEIGHT = 164;
/** Above the chart are the unit and the time zone, below it the times. */
const CHART_HEAD = 14;
const CHART_FOOT = 20;
const TICKS_MAX = 5;
const TICK_LABEL_WIDTH = 100;
/** A bound is labelled where it is in force for at least this width. */
const BOUND_LABEL_WIDTH = 60;
/** Space beside the chart for the values at its edges. */
const AXIS_WIDTH = 34;
const SIGNATURE_HEIGHT = 50;
/** A logger has six channels; new hardware may add a second type for some of them. */
const CHANNELS_MAX = 8;

const BUILT_IN_FONT = 'Helvetica';
/** Characters of Windows-1252. */
const BUILT_IN_CHARACTERS = /^[\x20-\x7e\xa0-\xff\u2013\u2014\u2018-\u201e\u2026\u20ac]*$/;
/**
 * For all other texts, because it takes much longer. It lacks East Asian characters, which appear as boxes.
 */
const UNICODE_FONT = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));

type Page = InstanceType<typeof PDFDocument>;

export type ToPage = (statistics: Statistics, options: Omit<RecordOptions, 'madeAt'>) => Promise<Readable>;

export function createStatisticsPage(now: () => Date): ToPage {
  return async (statistics, options) => {
    // Loaded with the first page, because its fonts take a quarter of a second.
    const { default: PDFDocument } = await import('pdfkit');
    const page = new PDFDocument({ size: 'A4', margin: MARGIN, bufferPages: true });
    const flow = createFlow(page);
    flow.title(statistics.asset.name);
    flow.lines(headLines(statistics, { ...options, madeAt: now() }));
    flow.heading('Settings in force');
    flow.lines(settingsLines(statistics, options.timezone));
    if (statistics.mutedSpans.length > 0) {
      flow.heading('Maintenance: nobody was notified');
      flow.lines(maintenanceLines(statistics, options.timezone));
    }
    if (statistics.channels.length === 0) flow.lines(['', emptyLine(statistics, options.timezone)]);
    for (const channel of statistics.channels.slice(0, CHANNELS_MAX)) {
      const texts = channelLines(channel);
      flow.room((texts.length + 2) * LINE_HEIGHT + CHART_HEIGHT);
      flow.lines(['', ...texts]);
      drawChart(page, statistics, { channel, timezone: options.timezone, top: flow.take(CHART_HEIGHT) });
    }
    flow.lines(['Averages are of the samples, unweighted. Shaded red: alerts; shaded grey: gaps.']);
    drawSignature(page, flow.take(SIGNATURE_HEIGHT));
    numberPages(page, statistics.asset.serialNumber);
    page.end();
    return page as unknown as Readable;
  };
}

/** Writes lines from top to bottom, on as many pages as they need. */
function createFlow(page: Page) {
  let y = MARGIN;

  function room(height: number): void {
    if (y + height <= BOTTOM) return;
    page.addPage();
    y = MARGIN;
  }

  function take(height: number): number {
    room(height);
    y += height;
    return y - height;
  }

  return {
    room,
    take,
    title(text: string) {
      page.fontSize(16);
      line(page, text, take(22), 20);
    },
    heading(text: string) {
      page.fontSize(11);
      line(page, text, take(20) + 6, 14);
    },
    lines(texts: string[]) {
      page.fontSize(9).fillColor('black');
      for (const text of texts) line(page, text, take(LINE_HEIGHT));
    },
  };
}

interface Chart {
  channel: Channel;
  timezone: string;
  top: number;
}

function drawChart(page: Page, statistics: Statistics, { channel, timezone, top }: Chart): void {
  const { from, to, curves, alerts } = statistics;
  const area = {
    left: MARGIN + AXIS_WIDTH,
    top: top + CHART_HEAD,
    width: WIDTH - AXIS_WIDTH,
    height: CHART_HEIGHT - CHART_HEAD - CHART_FOOT,
  };
  const bottom = area.top + area.height;
  const bounds = channel.alerts.flatMap(({ lowC, highC }) => [lowC, highC]).filter((each) => each !== null);
  const values = [channel.min, channel.max, ...bounds].filter((each) => each !== null);
  const [low, high] = values.length === 0 ? [0, 0] : [Math.min(...values), Math.max(...values)];
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
  shade(channel.gaps, '#cccccc');
  shade(
    alerts.filter((alert) => alert.channel === channel.channel),
    '#eeb8b8',
  );
  page.fillOpacity(1);
  const scales = { toX, toY };
  drawValues(page, valueTicks(low - margin, high + margin, TICKS_MAX), { ...area, ...scales });
  drawTimes(page, timeTicks(statistics, timezone, TICKS_MAX), { ...area, ...scales });
  page.lineWidth(0.5).strokeColor('#999999').rect(area.left, area.top, area.width, area.height).stroke();
  drawBounds(page, channel, scales);
  const columns = curves.columnsOf(channel.channel, channel.typeNumber);
  drawCurve(page, columns, { ...area, toY, joined: joinable(columns, statistics, channel) });
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
function drawBounds(page: Page, { alerts }: Channel, { toX, toY }: Scales): void {
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

interface CurveArea extends Pick<Scales, 'toY'> {
  left: number;
  width: number;
  joined: Array<[CurveColumn, CurveColumn]>;
}

/** Draws a vertical stroke from minimum to maximum of each column, and a line to the next one. */
function drawCurve(page: Page, columns: CurveColumn[], { left, width, toY, joined }: CurveArea): void {
  const toX = ({ column }: CurveColumn) => left + ((column + 0.5) * width) / CURVE_COLUMNS;
  const toMiddle = ({ min, max }: CurveColumn) => toY((min + max) / 2);
  page.strokeColor('#205080').lineWidth(width / CURVE_COLUMNS);
  for (const [before, next] of joined)
    page.moveTo(toX(before), toMiddle(before)).lineTo(toX(next), toMiddle(next));
  for (const each of columns) {
    const x = toX(each);
    // At least as high as it is wide, so that a single value is visible.
    page.moveTo(x, toY(each.min) + 0.5).lineTo(x, toY(each.max) - 0.5);
  }
  page.stroke();
}

function drawSignature(page: Page, top: number): void {
  page.fontSize(9).fillColor('black').strokeColor('black').lineWidth(0.5);
  const y = top + SIGNATURE_HEIGHT - LINE_HEIGHT;
  for (const [text, left, width] of [
    ['Date', MARGIN, 120],
    ['Name and signature', MARGIN + 150, WIDTH - 150],
  ] as const) {
    page
      .moveTo(left, y)
      .lineTo(left + width, y)
      .stroke();
    page.text(text, left, y + 2, { lineBreak: false });
  }
}

function numberPages(page: Page, serialNumber: string): void {
  const { count } = page.bufferedPageRange();
  for (let index = 0; index < count; index++) {
    page.switchToPage(index);
    // Text below the margin would begin another page.
    page.page.margins.bottom = 0;
    page.fontSize(8).fillColor('black');
    line(page, `${serialNumber}, page ${index + 1} of ${count}`, BOTTOM + 16);
  }
}

function line(page: Page, text: string, y: number, height = 11): void {
  const isBuiltIn = BUILT_IN_CHARACTERS.test(text);
  if (!isBuiltIn) page.font(UNICODE_FONT);
  page.text(text, MARGIN, y, { width: WIDTH, height, lineBreak: false, ellipsis: true });
  if (!isBuiltIn) page.font(BUILT_IN_FONT);
}
