/** One page for auditors: what was measured, in numbers and as a curve per channel. */
import type { Readable } from 'node:stream';
import type PDFDocument from 'pdfkit';
import { CURVE_COLUMNS, type CurveColumn } from './curve.ts';
import type { Statistics } from './statistics.service.ts';

const MARGIN = 48;
const WIDTH = 595 - 2 * MARGIN;
const CHARTS_TOP = 110;
const CHARTS_BOTTOM = 800;
const TEXT_HEIGHT = 40;
const ALERTS_MAX = 4;
/** A logger has six channels; new hardware may add a second type for some of them. */
const CHANNELS_MAX = 8;

type Page = InstanceType<typeof PDFDocument>;
type Channel = Statistics['channels'][number];

export function createStatisticsPage(now: () => Date): (statistics: Statistics) => Promise<Readable> {
  return async (statistics) => {
    // Loaded with the first page: its fonts take a quarter of a second.
    const { default: PDFDocument } = await import('pdfkit');
    const page = new PDFDocument({ size: 'A4', margin: MARGIN, autoFirstPage: true });
    drawHead(page, statistics, now());
    const channels = statistics.channels.slice(0, CHANNELS_MAX);
    const height = (CHARTS_BOTTOM - CHARTS_TOP) / Math.max(1, channels.length);
    for (const [index, channel] of channels.entries())
      drawChannel(page, statistics, channel, {
        top: CHARTS_TOP + index * height,
        height: Math.min(height, 300),
      });
    page.end();
    return page as unknown as Readable;
  };
}

function drawHead(page: Page, { asset, from, to, channels }: Statistics, now: Date): void {
  page
    .fontSize(16)
    .text(toPrintable(asset.name), MARGIN, MARGIN, { width: WIDTH, height: 20, ellipsis: true });
  page.fontSize(9);
  line(page, `Serial number ${toPrintable(asset.serialNumber)}`, MARGIN + 22);
  line(page, `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`, MARGIN + 34);
  line(page, `Made ${now.toISOString()}. Averages are of the samples, unweighted.`, MARGIN + 46);
  if (channels.length === 0) line(page, 'No readings in this time.', CHARTS_TOP);
}

interface Area {
  top: number;
  height: number;
}

function drawChannel(page: Page, statistics: Statistics, channel: Channel, { top, height }: Area): void {
  page.fontSize(9).fillColor('black');
  line(page, titleOf(channel), top);
  line(page, numbersOf(channel), top + 12);
  line(page, alertsOf(channel), top + 24);
  const columns = statistics.curves.columnsOf(channel.channel, channel.typeNumber);
  const area = { top: top + TEXT_HEIGHT, height: Math.max(20, height - TEXT_HEIGHT - 14) };
  drawCurve(page, columns, channel, area);
}

const titleOf = ({ channel, position, type, unit }: Channel): string =>
  `Channel ${channel}: ${type}${position === null ? '' : ` (${position})`}${unit === '' ? '' : `, ${unit}`}`;

function numbersOf({ count, min, max, avg, meanKineticTemperature, gapCount }: Channel): string {
  const kinetic =
    meanKineticTemperature === null ? '' : `   mean kinetic temperature ${rounded(meanKineticTemperature)}`;
  return `samples ${count}   min ${rounded(min)}   max ${rounded(max)}   average ${rounded(avg)}${kinetic}   gaps ${gapCount}`;
}

function alertsOf({ alerts }: Channel): string {
  const texts = alerts.slice(0, ALERTS_MAX).map(({ lowC, highC, secondsOutside }) => {
    const bounds = [lowC === null ? '' : `below ${lowC}`, highC === null ? '' : `above ${highC}`];
    return `${bounds.filter((each) => each !== '').join(' or ')}: ${Math.round(secondsOutside)} s`;
  });
  return texts.length === 0 ? 'No alert' : `Time ${texts.join('; ')}`;
}

/** A vertical stroke from the least to the greatest value of each column. */
function drawCurve(
  page: Page,
  columns: CurveColumn[],
  { min, max, alerts }: Channel,
  { top, height }: Area,
): void {
  page.lineWidth(0.5).strokeColor('#999999').rect(MARGIN, top, WIDTH, height).stroke();
  const bounds = alerts.flatMap(({ lowC, highC }) => [lowC, highC]).filter((each) => each !== null);
  const [low, high] = [Math.min(min, ...bounds), Math.max(max, ...bounds)];
  const toY = (value: number) => top + height - ((value - low) / (high - low || 1)) * height;
  page.strokeColor('#cc3333');
  for (const bound of bounds)
    page
      .moveTo(MARGIN, toY(bound))
      .lineTo(MARGIN + WIDTH, toY(bound))
      .stroke();
  page.strokeColor('#205080').lineWidth(WIDTH / CURVE_COLUMNS);
  for (const { column, min: least, max: greatest } of columns) {
    const x = MARGIN + ((column + 0.5) * WIDTH) / CURVE_COLUMNS;
    // As high as it is wide at least, so that a single value is seen.
    page.moveTo(x, toY(least) + 0.5).lineTo(x, toY(greatest) - 0.5);
  }
  page.stroke();
}

const line = (page: Page, text: string, y: number) =>
  page.text(text, MARGIN, y, { width: WIDTH, height: 11, lineBreak: false, ellipsis: true });

const rounded = (value: number): string => String(Math.round(value * 100) / 100);

/** The built-in fonts know the characters of Windows-1252 alone. */
const toPrintable = (text: string): string => text.replace(/[^\x20-\x7e\xa0-\xff]/g, '?');
