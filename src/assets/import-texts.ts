/**
 * Splits the bytes of an import into rows without parsing them, so that the size of each is known before it
 * is parsed.
 */
import { invalid } from '../process/errors.ts';

/** Longest row, and longest first line: many times the length of the longest fields of a device. */
export const ROW_BYTES_MAX = 16 * 1024;
/** Length of the steps in which blank lines between two rows are skipped. */
const BLANKS_STEP_BYTES = 8 * 1024;

const [TAB, LINE_FEED, RETURN, SPACE, QUOTE, COMMA, BACKSLASH] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x5c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
const NOTHING = Buffer.alloc(0);

/** The bytes of one row. */
export interface RowBytes {
  bytes: Buffer;
  /** Number of the line on which it begins, as an editor shows it. */
  line: number;
}

const isLineEnd = (bytes: Buffer, at: number): boolean =>
  bytes[at] === LINE_FEED || (bytes[at] === RETURN && bytes[at + 1] !== LINE_FEED);

/**
 * Records of CSV with their line ends; blank ones are left out. A quote within a quoted cell is doubled,
 * so counting quotes is enough. An empty buffer stands for many that were left out.
 */
export function* csvRecords(bytes: Buffer, delimiter: string, firstLine = 1): Generator<RowBytes> {
  const separator = delimiter.charCodeAt(0);
  let begin = 0;
  let line = firstLine;
  let nextLine = firstLine;
  let stepAt = 0;
  let isBlank = true;
  let isQuoted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) isQuoted = !isQuoted;
    if (byte > SPACE && byte !== separator) isBlank = false;
    if (at - begin >= ROW_BYTES_MAX) throw tooLong(begin === 0, isQuoted);
    if (!isLineEnd(bytes, at)) continue;
    nextLine += 1;
    if (isQuoted) continue;
    if (!isBlank) yield { bytes: bytes.subarray(begin, at + 1), line };
    else if (at - stepAt >= BLANKS_STEP_BYTES) yield { bytes: NOTHING, line };
    begin = at + 1;
    line = nextLine;
    if (!isBlank || at - stepAt >= BLANKS_STEP_BYTES) stepAt = begin;
    isBlank = true;
  }
  if (!isBlank) yield { bytes: bytes.subarray(begin), line };
}

function tooLong(isFirst: boolean, isQuoted: boolean): Error {
  const hint = isQuoted ? ': the double quote of a cell may not be closed' : '';
  return invalid(
    `${isFirst ? 'The first line' : 'Each row'} must have at most ${ROW_BYTES_MAX} bytes${hint}`,
  );
}

/** The bytes of each item of a JSON array. Whether an item is JSON is found when it is parsed. */
export function* jsonItems(bytes: Buffer): Generator<RowBytes> {
  const first = skipBlanks(bytes, 0);
  if (bytes[first] !== OPENING_BRACKET) throw invalid('The body must be a list of devices');
  let begin = skipBlanks(bytes, first + 1);
  if (bytes[begin] === CLOSING_BRACKET) return requireEnd(bytes, begin + 1);
  let nextLine = 1 + countLineEnds(bytes, begin);
  let line: number | null = null;
  let depth = 0;
  let isInString = false;
  for (let at = begin; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isLineEnd(bytes, at)) nextLine += 1;
    else if (!BLANKS.has(byte)) line ??= nextLine;
    if (at - begin >= ROW_BYTES_MAX) throw tooLong(false, false);
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth += 1;
    else if (depth > 0) depth -= byte === CLOSING_BRACE || byte === CLOSING_BRACKET ? 1 : 0;
    else if (byte === COMMA || byte === CLOSING_BRACKET) {
      yield { bytes: bytes.subarray(begin, at), line: line ?? nextLine };
      if (byte === CLOSING_BRACKET) return requireEnd(bytes, at + 1);
      begin = at + 1;
      line = null;
    }
  }
  throw notJson();
}

export const notJson = () => invalid('The body must be JSON');

/** Skips at most the bytes of one row. */
function skipBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (at < from + ROW_BYTES_MAX && BLANKS.has(bytes[at])) at += 1;
  return at;
}

function countLineEnds(bytes: Buffer, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at++) if (isLineEnd(bytes, at)) count += 1;
  return count;
}

const BLANKS = new Set<number | undefined>([TAB, LINE_FEED, RETURN, SPACE]);

function requireEnd(bytes: Buffer, at: number): void {
  if (skipBlanks(bytes, at) < bytes.length) throw notJson();
}
