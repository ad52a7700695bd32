/**
 * The record for auditors: measured values in numbers and as a curve per channel, and the settings in force. Several devices
 * begin with curves of all of them together.
 */
import type { Readable } from 'node:stream';
import type { Pace } from '../process/pacer.ts';
import { compareChannels } from './comparison.ts';
import { alertParagraphs } from './record-alerts.ts';
import { CHART_HEIGHT, drawChart, MARGIN, type Page, SINGLE, WIDTH } from './record-chart.ts';
import type { RecordFonts } from './record-fonts.service.ts';
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
const TEXT_SIZE = 9;
const LINE_HEIGHT = 12;
/** Between two texts. */
const TEXT_GAP = 1.5;
/** How far below the top of a line its baseline is, in sizes: that of Helvetica, whatever the font of the text. */
const BASELINE = 0.718;
const SIGNATURE_HEIGHT = 50;
/** A turn beside exports ends with the text that is being written then. */
const TURN_MS = 20;
/** The last line and the signature, which stand on the page of the last channel. */
const CLOSING_HEIGHT = LINE_HEIGHT + SIGNATURE_HEIGHT;

/** One record for each device. */
export type ToPage = (
  organizationId: string,
  records: readonly Statistics[],
  options: Omit<RecordOptions, 'madeAt'>,
) => Promise<Readable>;

interface StatisticsPageDeps {
  /** Shared with exports: a text in letters of other scripts takes a tenth of a second. */
  pace: Pace;
  now(): Date;
  loadFonts(): Promise<RecordFonts>;
}

export function createStatisticsPage({ pace, now, loadFonts }: StatisticsPageDeps): ToPage {
  // Loaded with the first page, because both take a quarter of a second.
  const load = () => Promise.all([import('pdfkit'), loadFonts()]);
  let loaded: ReturnType<typeof load> | undefined;

  return async (organizationId, records, by) => {
    loaded ??= load();
    const [{ default: PDFDocument }, fonts] = await loaded;
    const page = new PDFDocument({ size: 'A4', margin: MARGIN, bufferPages: true });
    const flow = createFlow(page, fonts, (piece) => pace(organizationId, piece));
    const options = { ...by, madeAt: now() };
    if (records.length > 1) await drawComparison(page, flow, records, options);
    for (const statistics of records) {
      if (records.length > 1) flow.nextPage();
      await drawRecord(page, flow, statistics, options);
    }
    const [{ asset }] = records as [Statistics];
    numberPages(page, fonts, records.length > 1 ? `${records.length} devices` : asset.serialNumber);
    page.end();
    return page as unknown as Readable;
  };
}

/** A chart for each kind of channel, with a line for each device. */
async function drawComparison(
  page: Page,
  flow: Flow,
  records: readonly Statistics[],
  options: RecordOptions,
): Promise<void> {
  flow.title(`${records.length} devices`);
  await flow.lines(comparisonLines(records, options));
  for (const { title, lines } of compareChannels(records)) {
    flow.room(flow.heightOf(['', title, ...lines.map(comparedLine)]) + CHART_HEIGHT);
    await flow.lines(['', title]);
    for (const line of lines) await flow.lines([comparedLine(line)], line.color);
    drawChart(page, lines, { timezone: options.timezone, top: flow.take(CHART_HEIGHT) });
  }
  await flow.lines([
    'Shaded red: alerts. Dotted: bounds, in the colour of the device. A record of each device follows.',
  ]);
}

async function drawRecord(
  page: Page,
  flow: Flow,
  statistics: Statistics,
  options: RecordOptions,
): Promise<void> {
  const { timezone } = options;
  flow.title(statistics.asset.name);
  await flow.lines(headLines(statistics, options));
  flow.heading('Settings in force');
  await flow.lines(settingsLines(statistics, timezone));
  if (statistics.mutedSpans.length > 0) {
    flow.heading('Maintenance: nobody was notified');
    await flow.lines(maintenanceLines(statistics, timezone));
  }
  flow.heading('Alerts');
  await flow.lines(alertParagraphs(statistics, timezone));
  const { channels } = statistics;
  if (channels.length === 0) {
    flow.room(2 * LINE_HEIGHT + CLOSING_HEIGHT);
    await flow.lines(['', emptyLine(statistics, timezone)]);
  }
  for (const channel of channels) {
    const texts = ['', ...channelLines(channel, statistics, timezone)];
    const closing = channel === channels.at(-1) ? CLOSING_HEIGHT : LINE_HEIGHT;
    flow.room(flow.heightOf(texts) + CHART_HEIGHT + closing);
    await flow.lines(texts);
    drawChart(page, [{ statistics, channel, ...SINGLE }], { timezone, top: flow.take(CHART_HEIGHT) });
  }
  await flow.lines(['Averages are of the samples, unweighted. Shaded red: alerts; shaded grey: gaps.']);
  drawSignature(page, flow.take(SIGNATURE_HEIGHT));
}

function textHeight(page: Page, fonts: RecordFonts, text: string): number {
  page.fontSize(TEXT_SIZE);
  let height = 0;
  fonts.drawWith(page, text, () => {
    height = page.heightOfString(text, { width: WIDTH }) + TEXT_GAP;
  });
  return Math.max(LINE_HEIGHT, height);
}

type Flow = ReturnType<typeof createFlow>;

/** Writes lines from top to bottom, on as many pages as they need. */
function createFlow(page: Page, fonts: RecordFonts, inTurn: (piece: () => Promise<void>) => Promise<void>) {
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

  const heightOf = (texts: readonly string[]): number =>
    texts.reduce((sum, text) => sum + textHeight(page, fonts, text), 0);

  function write(text: string): void {
    const y = take(heightOf([text]));
    page.fontSize(TEXT_SIZE);
    fonts.drawWith(page, text, () =>
      page.text(text, MARGIN, y, { width: WIDTH, baseline: -BASELINE * TEXT_SIZE }),
    );
  }

  /** The next texts, as many as a turn may take. */
  function writeSome(left: string[]): void {
    const endsAt = performance.now() + TURN_MS;
    do write(left.shift() as string);
    while (left.length > 0 && performance.now() < endsAt);
  }

  return {
    room,
    nextPage,
    take,
    heightOf,
    title(text: string) {
      page.fillColor('black');
      line(page, fonts, { text, size: 16, y: take(22), height: 20 });
    },
    heading(text: string) {
      room(20 + LINE_HEIGHT);
      line(page, fonts, { text, size: 11, y: take(20) + 6, height: 14 });
    },
    /** Texts of any length, each on as many lines as it needs. */
    async lines(texts: string[], color = 'black') {
      page.fillColor(color);
      const left = [...texts];
      while (left.length > 0) await inTurn(async () => writeSome(left));
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

function numberPages(page: Page, fonts: RecordFonts, name: string): void {
  const { count } = page.bufferedPageRange();
  for (let index = 0; index < count; index++) {
    page.switchToPage(index);
    // Text below the margin would begin another page.
    page.page.margins.bottom = 0;
    page.fillColor('black');
    line(page, fonts, { text: `${name}, page ${index + 1} of ${count}`, size: 8, y: BOTTOM + 16 });
  }
}

interface Line {
  text: string;
  size: number;
  y: number;
  height?: number;
}

function line(page: Page, fonts: RecordFonts, { text, size, y, height = 11 }: Line): void {
  page.fontSize(size);
  fonts.drawWith(page, text, () =>
    page.text(text, MARGIN, y, {
      width: WIDTH,
      height,
      lineBreak: false,
      ellipsis: true,
      baseline: -BASELINE * size,
    }),
  );
}
