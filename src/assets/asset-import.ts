/**
 * A list of assets for registration, as CSV or JSON. Each row is read on its own, so an invalid one does not
 * make others fail.
 */
import { CsvError, parse } from 'csv-parse/sync';
import { invalid } from '../process/errors.ts';
import { csvRecords, jsonItems, notJson, ROW_BYTES_MAX, type RowBytes } from './import-texts.ts';

export const IMPORT_ROWS_MAX = 10_000;
export const IMPORT_BYTES_MAX = 8 * 1024 * 1024;

export const NO_GROUP_NAMED = 'group must be the name of a group that exists; case does not count';

/** The columns of a CSV file. */
export const IMPORT_COLUMNS = [
  'serialNumber',
  'name',
  'waterType',
  'floor',
  'model',
  'buildingId',
  'spaceId',
  'groupId',
  'group',
];

/** The content of one row before validation, or why it cannot be read. */
export type ImportRow = { line: number } & ({ value: unknown } | { error: string });

export const IMPORT_OUTCOMES = ['created', 'unchanged', 'failed'] as const;
export type ImportOutcome = (typeof IMPORT_OUTCOMES)[number];

/** The result of one row. */
export interface ImportResult {
  /** Number of the row of data, from 1. */
  row: number;
  /** Number of the line on which the row begins, as an editor shows it. */
  line: number;
  /** As in the row; null when it has none. */
  serialNumber: string | null;
  outcome: ImportOutcome;
  /** Null when the row failed, and in a dry run when a device would be registered. */
  id: string | null;
  error: string | null;
  /** About a registered device; absent when there are none. */
  warnings?: string[];
}

/** Rows are read in blocks of about this many bytes and at most this many rows: some milliseconds each. */
const BLOCK_BYTES = 8 * 1024;
const BLOCK_ROWS = 50;

/**
 * Decodes UTF-8.
 * @throws invalid
 */
type Decode = (bytes: Buffer) => string;

/** Reads a JSON array. Between two blocks the caller may yield to other requests. */
export function* readJsonRows(bytes: Buffer, decode: Decode): Generator<ImportRow[]> {
  let count = 0;
  for (const block of inBlocks(jsonItems(withoutMark(bytes)))) {
    count += block.length;
    requireRows(count);
    yield block.map(({ bytes: item, line }) => ({ line, value: parseItem(decode(item)) }));
  }
  requireRows(count);
}

/** Columns of the file of failed rows, which may be corrected and sent as it is. Rows that fail again get them again. */
const IGNORED_COLUMNS = ['line', 'error'];

/**
 * Reads CSV, in blocks as above. The first line names the columns, after an optional line that names the
 * separator. Empty cells give no value, and are ignored at the end of a line.
 */
export function* readCsvRows(
  file: Buffer,
  columns: readonly string[],
  decode: Decode,
): Generator<ImportRow[]> {
  const { bytes, delimiter, firstLine } = separated(withoutMark(file));
  let names: string[] | undefined;
  let count = 0;
  for (const block of inBlocks(csvRecords(bytes, delimiter, firstLine))) {
    const text = decode(Buffer.concat(block.map((record) => record.bytes)));
    const cells = parseCells(text, delimiter, block);
    const rows = cells.map((row, index) => ({ cells: withoutEmptyEnd(row), line: block[index]?.line ?? 0 }));
    const filled = rows.filter((row) => row.cells.length > 0);
    if (names === undefined && filled.length > 0)
      names = checkedColumns(filled.shift()?.cells as string[], columns);
    count += filled.length;
    if (count > 0) requireRows(count);
    yield filled.map((row) => ({ line: row.line, ...toRow(names ?? [], row.cells) }));
  }
  if (names === undefined) checkedColumns([], columns);
  requireRows(count);
}

/** The cells of the first line, as far as they can be read: names of columns, for people who see the file. */
export function firstCsvLine(file: Buffer): string[] {
  const { bytes, delimiter, firstLine } = separated(withoutMark(file));
  for (const record of csvRecords(bytes, delimiter, firstLine)) {
    const [row = []] = parseCells(record.bytes.toString(), delimiter, [record]);
    const cells = withoutEmptyEnd(row);
    if (cells.length > 0) return cells;
  }
  return [];
}

/** The failed rows of a CSV file as they were, with their line and their error before the other columns. */
export function failedCsvRows(file: Buffer, errors: ReadonlyMap<number, string>): string {
  const { bytes, delimiter, firstLine } = separated(withoutMark(file));
  const lines: string[] = [];
  for (const { bytes: record, line } of csvRecords(bytes, delimiter, firstLine)) {
    const text = record.toString().replace(/[\r\n]+$/, '');
    const error = errors.get(line);
    if (record.length === 0) continue;
    if (lines.length === 0) lines.push([...IGNORED_COLUMNS, text].join(delimiter));
    else if (error !== undefined)
      lines.push([line, `"${error.replaceAll('"', '""')}"`, text].join(delimiter));
  }
  // The names of the columns do not show this separator.
  const separator = delimiter === '|' ? ['sep=|'] : [];
  return `${[...separator, ...lines].join('\r\n')}\r\n`;
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

const withoutMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes;

/** An empty row ends its block. */
function* inBlocks(rows: Iterable<RowBytes>): Generator<RowBytes[]> {
  let block: RowBytes[] = [];
  let size = 0;
  for (const row of rows) {
    const { length } = row.bytes;
    if (length > 0) block.push(row);
    size += length;
    if (length > 0 && size < BLOCK_BYTES && block.length < BLOCK_ROWS) continue;
    yield block;
    block = [];
    size = 0;
  }
  if (block.length > 0) yield block;
}

function parseItem(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

/** A row for each record. */
function parseCells(text: string, delimiter: string, records: readonly RowBytes[]): string[][] {
  try {
    return parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      // Also trims around quotes.
      trim: true,
    });
  } catch (error) {
    if (error instanceof CsvError) throw invalid(faultText(error, records));
    throw error;
  }
}

/** Spreadsheets read the separator from such a line, even if it is quoted or ends in empty cells. */
const SEPARATOR_LINE = /^\s*"?sep=(\\t|[^\r\n])"?[,;|\t ]*(?:\r\n?|\n|$)/i;
const SEPARATORS = [',', ';', '\t', '|'];

/**
 * The table without the line that names its separator. Without that line, the names of the columns show the
 * separator: spreadsheets separate cells by semicolons where the decimal separator is a comma. No column name
 * contains either.
 */
function separated(bytes: Buffer): { bytes: Buffer; delimiter: string; firstLine: number } {
  const begin = bytes.toString('latin1', 0, ROW_BYTES_MAX);
  const [line, separator] = SEPARATOR_LINE.exec(begin) ?? [];
  if (line === undefined || separator === undefined) {
    const [header = ''] = begin.replace(/^[\r\n]+/, '').split(/[\r\n]/, 1);
    return { bytes, delimiter: [';', '\t'].find((each) => header.includes(each)) ?? ',', firstLine: 1 };
  }
  const delimiter = separator === '\\t' ? '\t' : separator;
  if (SEPARATORS.includes(delimiter))
    return { bytes: bytes.subarray(line.length), delimiter, firstLine: line.split(/\r\n?|\n/).length };
  throw invalid(
    'The first line names a separator that is not supported: use a comma, semicolon, tab or vertical bar',
  );
}

function faultText(
  { code, records = 0 }: CsvError & { records?: number },
  read: readonly RowBytes[],
): string {
  const line = read[Math.min(records, read.length - 1)]?.line ?? 1;
  return `The body must be CSV, and line ${line} is not: ${CSV_FAULTS[code] ?? CSV_FAULT}`;
}

const CSV_FAULT =
  'separate cells by commas (or semicolons or tabs, as in the first line), and put cells that hold these or quotes into double quotes';
const CSV_FAULTS: Partial<Record<CsvError['code'], string>> = {
  CSV_QUOTE_NOT_CLOSED: 'the double quote of a cell is not closed',
};

function checkedColumns(names: string[], columns: readonly string[]): string[] {
  const known = `the first line must name the columns, of ${columns.join(', ')}`;
  if (names.length === 0) throw invalid(`The body must not be empty: ${known}`);
  const unknown = names.findIndex((name) => ![...columns, ...IGNORED_COLUMNS].includes(name));
  const fault = names[unknown] === '' ? 'no name' : 'an unknown name';
  if (unknown >= 0) throw invalid(`Column ${unknown + 1} has ${fault}: ${known}`);
  const used = names.filter((name) => !IGNORED_COLUMNS.includes(name));
  if (new Set(used).size < used.length) throw invalid('The first line must name each column once');
  if (!names.includes('serialNumber')) throw invalid('The first line must name the column serialNumber');
  return names;
}

function toRow(names: string[], cells: string[]): { value: unknown } | { error: string } {
  if (cells.length > names.length) {
    return { error: `the row has ${cells.length} cells, and the first line names ${names.length} columns` };
  }
  const given = names.flatMap((name, index) => {
    const cell = cells[index] ?? '';
    return cell === '' || IGNORED_COLUMNS.includes(name)
      ? []
      : [[name, name === 'floor' ? toNumber(cell) : cell]];
  });
  return { value: Object.fromEntries(given) };
}

/** The trimmed cells, up to the last one that is not empty. */
function withoutEmptyEnd(row: string[]): string[] {
  const cells = row.map((cell) => cell.trim());
  return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
}

/** Other texts stay as they are, so that validation refuses them. */
const toNumber = (cell: string): number | string => (/^-?\d{1,9}$/.test(cell) ? Number(cell) : cell);

function requireRows(count: number): void {
  if (count < 1 || count > IMPORT_ROWS_MAX) {
    throw invalid(`The body must hold 1 to ${IMPORT_ROWS_MAX} devices`);
  }
}
