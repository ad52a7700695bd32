/**
 * The record for auditors: measured values in numbers and as a curve per channel, and the settings in force. Several devices
 * begin with curves of all of them together.
 */
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type PDFDocument from 'pdfkit';
import { compareChannels } from './comparison.ts';
import { alertParagraphs } from './record-alerts.ts';
import { CHART_HEIGHT, drawChart, MARGIN, SINGLE, WIDTH } from './record-chart.ts';
import {
  channelLines,
  comparedLine,
  comparisonLines,
  emptyLine,
  headLines,
  maintenanceLines,
  type RecordOptions,
  settingsLines,
} from './record-text.ts';
import type { Statistics } from './statistics.service.ts';

const BOTTOM = 780;
const LINE_HEIGHT = 12;
const PARAGRAPH_GAP = 2;
const SIGNATURE_HEIGHT = 50;
/** The last line and the signature, which stand on the page of the last channel. */
const CLOSING_HEIGHT = LINE_HEIGHT + SIGNATURE_HEIGHT;
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

/** One record for each device. */
export type ToPage = (
  records: readonly Statistics[],
  options: Omit<RecordOptions, 'madeAt'>,
) => Promise<Readable>;

export function createStatisticsPage(now: () => Date): ToPage {
  return async (records, by) => {
    // Loaded with the first page, because its fonts take a quarter of a second.
    const { default: PDFDocument } = await import('pdfkit');
    const page = new PDFDocument({ size: 'A4', margin: MARGIN, bufferPages: true });
    const flow = createFlow(page);
    const options = { ...by, madeAt: now() };
    if (records.length > 1) drawComparison(page, flow, records, options);
    for (const statistics of records) {
      if (records.length > 1) flow.nextPage();
      drawRecord(page, flow, statistics, options);
    }
    const [{ asset }] = records as [Statistics];
    numberPages(page, records.length > 1 ? `${records.length} devices` : asset.serialNumber);
    page.end();
    return page as unknown as Readable;
  };
}

/** A chart for each kind of channel, with a line for each device. */
function drawComparison(
  page: Page,
  flow: Flow,
  records: readonly Statistics[],
  options: RecordOptions,
): void {
  flow.title(`${records.length} devices`);
  flow.lines(comparisonLines(records, options));
  for (const { title, lines } of compareChannels(records)) {
    flow.room((lines.length + 2) * LINE_HEIGHT + CHART_HEIGHT);
    flow.lines(['', title]);
    for (const line of lines) flow.lines([comparedLine(line)], line.color);
    drawChart(page, lines, { timezone: options.timezone, top: flow.take(CHART_HEIGHT) });
  }
  flow.lines([
    'Shaded red: alerts. Dotted: bounds, in the colour of the device. A record of each device follows.',
  ]);
}

function drawRecord(page: Page, flow: Flow, statistics: Statistics, options: RecordOptions): void {
  const { timezone } = options;
  flow.title(statistics.asset.name);
  flow.lines(headLines(statistics, options));
  flow.heading('Settings in force');
  flow.lines(settingsLines(statistics, timezone));
  if (statistics.mutedSpans.length > 0) {
    flow.heading('Maintenance: nobody was notified');
    flow.lines(maintenanceLines(statistics, timezone));
  }
  flow.heading('Alerts');
  flow.paragraphs(alertParagraphs(statistics, timezone));
  const channels = statistics.channels.slice(0, CHANNELS_MAX);
  if (channels.length === 0) {
    flow.room(2 * LINE_HEIGHT + CLOSING_HEIGHT);
    flow.lines(['', emptyLine(statistics, timezone)]);
  }
  for (const channel of channels) {
    const texts = channelLines(channel, statistics.from, timezone);
    const closing = channel === channels.at(-1) ? CLOSING_HEIGHT : LINE_HEIGHT;
    flow.room((texts.length + 1) * LINE_HEIGHT + CHART_HEIGHT + closing);
    flow.lines(['', ...texts]);
    drawChart(page, [{ statistics, channel, ...SINGLE }], { timezone, top: flow.take(CHART_HEIGHT) });
  }
  flow.lines(['Averages are of the samples, unweighted. Shaded red: alerts; shaded grey: gaps.']);
  drawSignature(page, flow.take(SIGNATURE_HEIGHT));
}

type Flow = ReturnType<typeof createFlow>;

/** Writes lines from top to bottom, on as many pages as they need. */
function createFlow(page: Page) {
  let y = MARGIN;

  function room(height: number): void {
    if (y + height > BOTTOM) nextPage();
  }

  function nextPage(): void {
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
    nextPage,
    take,
    title(text: string) {
      page.fontSize(16).fillColor('black');
      line(page, text, take(22), 20);
    },
    heading(text: string) {
      room(20 + LINE_HEIGHT);
      page.fontSize(11);
      line(page, text, take(20) + 6, 14);
    },
    lines(texts: string[], color = 'black') {
      page.fontSize(9).fillColor(color);
      for (const text of texts) line(page, text, take(LINE_HEIGHT));
    },
    /** Texts of any length, on as many lines as they need. */
    paragraphs(texts: string[]) {
      page.fontSize(9).fillColor('black');
      for (const text of texts)
        withFontFor(page, text, () => {
          const height = page.heightOfString(text, { width: WIDTH });
          page.text(text, MARGIN, take(height + PARAGRAPH_GAP), { width: WIDTH });
        });
    },
  };
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

function numberPages(page: Page, name: string): void {
  const { count } = page.bufferedPageRange();
  for (let index = 0; index < count; index++) {
    page.switchToPage(index);
    // Text below the margin would begin another page.
    page.page.margins.bottom = 0;
    page.fontSize(8).fillColor('black');
    line(page, `${name}, page ${index + 1} of ${count}`, BOTTOM + 16);
  }
}

function line(page: Page, text: string, y: number, height = 11): void {
  withFontFor(page, text, () =>
    page.text(text, MARGIN, y, { width: WIDTH, height, lineBreak: false, ellipsis: true }),
  );
}

function withFontFor(page: Page, text: string, draw: () => void): void {
  const isBuiltIn = BUILT_IN_CHARACTERS.test(text);
  if (!isBuiltIn) page.font(UNICODE_FONT);
  draw();
  if (!isBuiltIn) page.font(BUILT_IN_FONT);
}
