/** The history as customers read it: views, the cursor between pages, and lines of CSV. */
import { type MediaType, parseMediaType } from '../../client/src/http-fields.ts';
import { CHANNELS_MAX, type Layout, positionOf } from '../devices/device-capabilities.ts';
import { typeView } from '../devices/measurement-type.ts';
import type { Reading, StoredReading } from '../devices/reading.ts';
import { cutText } from '../process/cut-text.ts';
import { invalid } from '../process/errors.ts';

export function readingView(reading: StoredReading, layout: Layout) {
  const { channel, value, error, measuredAt, receivedAt, late } = reading;
  const { type, unit } = typeView(reading.type);
  return {
    channel,
    position: positionOf(channel, reading.type, layout),
    type,
    value,
    unit,
    measuredAt: measuredAt.toISOString(),
    receivedAt: receivedAt.toISOString(),
    late,
    ...(error !== null && { error }),
  };
}

/** The last reading of a page. */
export type HistoryCursor = Pick<Reading, 'measuredAt' | 'channel'>;

export const toCursor = ({ measuredAt, channel }: HistoryCursor): string =>
  Buffer.from(`${measuredAt.getTime()}.${channel}`).toString('base64url');

/** Milliseconds up to the year 2286. */
const CURSOR = /^(\d{1,13})\.(\d)$/;

export function parseCursor(cursor: string): HistoryCursor {
  const [, at, channel] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const last = { measuredAt: new Date(Number(at)), channel: Number(channel) };
  if (last.channel >= 1 && last.channel <= CHANNELS_MAX && toCursor(last) === cursor) return last;
  throw invalid('cursor must be the nextCursor of an earlier page');
}

export const CSV_COLUMNS = [
  'channel',
  'position',
  'type',
  'value',
  'unit',
  'measuredAt',
  'receivedAt',
  'late',
  'error',
] as const;

/** RFC 4180; no column and no value needs quotes. */
export const csvHeaderOf = (columns: readonly string[]): string => `${columns.join()}\r\n`;

export const csvLineOf = <Column extends string>(
  columns: readonly Column[],
  view: Partial<Record<Column, unknown>>,
): string => `${columns.map((column) => view[column] ?? '').join()}\r\n`;

export const CSV_HEADER = csvHeaderOf(CSV_COLUMNS);

export const csvLine = (reading: StoredReading, layout: Layout): string =>
  csvLineOf(CSV_COLUMNS, readingView(reading, layout));

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/**
 * Whether the caller prefers the first type to the second (RFC 9110, section 12.5.1, as far as two types need
 * it).
 */
export function prefers(type: string, otherType: string, accept: string | undefined): boolean {
  const [first, second] = [preference(type, accept), preference(otherType, accept)];
  if (first.weight === 0) return false;
  return first.weight > second.weight || (first.weight === second.weight && first.rank < second.rank);
}

/** Longer than the headers of real clients. */
const ACCEPT_LENGTH_MAX = 1_024;

/** By the most specific media range that matches the type; rank 0 is the type itself. */
function preference(type: string, accept = '*/*'): { weight: number; rank: number } {
  const ranges = [type, `${type.split('/')[0]}/*`, '*/*'];
  const parsed = cutText(accept, ACCEPT_LENGTH_MAX)
    .split(',')
    .flatMap((part) => {
      const range = parseMediaType(part);
      if (range === null) return [];
      return [{ rank: ranges.indexOf(range.type), weight: toWeight(range.parameters) }];
    });
  const [closest] = parsed.filter(({ rank }) => rank >= 0).sort((a, b) => a.rank - b.rank);
  return closest ?? { weight: 0, rank: ranges.length };
}

/** RFC 9110, section 12.4.2; any other text accepts nothing. */
function toWeight(parameters: MediaType['parameters']): number {
  const [, quality = '1'] = parameters.find(([name]) => name === 'q') ?? [];
  return QUALITY.test(quality) ? Number(quality) : 0;
}

const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
