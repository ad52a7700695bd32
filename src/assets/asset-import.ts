/** A list of assets to be registered at once, as CSV or JSON: each row by itself, so that none fails its neighbours. */
import { CsvError, parse } from 'csv-parse/sync';
import { invalid } from '../process/errors.ts';

export const IMPORT_ROWS_MAX = 10_000;
export const IMPORT_BYTES_MAX = 8 * 1024 * 1024;

/** What one row holds, yet to be validated; or why it cannot be read. */
export type ImportRow = { value: unknown } | { error: string };

/** What became of one row. */
export interface ImportResult {
  /** Rows of data, from 1. */
  row: number;
  /** As the row has it; null when it has none. */
  serialNumber: string | null;
  /** Null when the row failed. */
  id: string | null;
  error: string | null;
  /** Of a device that is registered; absent when there are none. */
  warnings?: string[];
}

export function parseJsonRows(body: unknown): ImportRow[] {
  if (!Array.isArray(body)) throw invalid('The body must be a list of devices');
  requireRows(body.length);
  return body.map((value) => ({ value }));
}

/** The first line names the columns. A cell that is empty gives nothing. */
export function parseCsvRows(text: string, columns: readonly string[]): ImportRow[] {
  const [header = [], ...rows] = parseCells(text);
  const names = header.map((name) => name.trim());
  checkHeader(names, columns);
  requireRows(rows.length);
  return rows.map((cells) => toRow(names, cells));
}

function parseCells(text: string): string[][] {
  try {
    return parse(text, {
      bom: true,
      delimiter: separatorOf(text),
      relax_column_count: true,
      skip_empty_lines: true,
      // Spreadsheets save rows that once held something.
      skip_records_with_empty_values: true,
      // One more than there may be, beside the header.
      to: IMPORT_ROWS_MAX + 2,
    });
  } catch (error) {
    if (error instanceof CsvError) throw invalid(faultText(error));
    throw error;
  }
}

/** Where the decimal separator is a comma, spreadsheets separate cells by semicolons. No name of a column holds either. */
function separatorOf(text: string): string {
  const header = text.slice(0, text.search(/[\r\n]|$/));
  return [';', '\t'].find((separator) => header.includes(separator)) ?? ',';
}

/** The header is a record, too, so the count of those that were read is the row after them. */
function faultText({ code, records }: CsvError & { records?: number }): string {
  const place = records ? `row ${records}` : 'the first line';
  return `The body must be CSV, and ${place} is not: ${CSV_FAULTS[code] ?? CSV_FAULT}`;
}

const CSV_FAULT =
  'separate cells by commas (or semicolons or tabs, as in the first line), and put cells that hold these or quotes into double quotes';
const CSV_FAULTS: Partial<Record<CsvError['code'], string>> = {
  CSV_QUOTE_NOT_CLOSED: 'the double quote of a cell is not closed',
};

function checkHeader(names: string[], columns: readonly string[]): void {
  const known = `the first line must name the columns, of ${columns.join(', ')}`;
  if (names.length === 0) throw invalid(`The body must not be empty: ${known}`);
  const unknown = names.findIndex((name) => !columns.includes(name));
  if (unknown >= 0) throw invalid(`Column ${unknown + 1} has an unknown name: ${known}`);
  if (new Set(names).size < names.length) throw invalid('The first line must name each column once');
  if (!names.includes('serialNumber')) throw invalid('The first line must name the column serialNumber');
}

function toRow(names: string[], cells: string[]): ImportRow {
  if (cells.length > names.length) {
    return { error: `the row has ${cells.length} cells, and the first line names ${names.length} columns` };
  }
  const given = names.flatMap((name, index) => {
    const cell = cells[index]?.trim() ?? '';
    return cell === '' ? [] : [[name, name === 'floor' ? toNumber(cell) : cell]];
  });
  return { value: Object.fromEntries(given) };
}

/** What is no number is left to validation. */
const toNumber = (cell: string): number | string => (/^-?\d{1,9}$/.test(cell) ? Number(cell) : cell);

function requireRows(count: number): void {
  if (count < 1 || count > IMPORT_ROWS_MAX) {
    throw invalid(`The body must hold 1 to ${IMPORT_ROWS_MAX} devices`);
  }
}
