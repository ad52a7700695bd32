/** The mistakes in the rows of an import: equal ones of many rows count as one. */

import {
  firstCsvLine,
  IMPORT_COLUMNS,
  type ImportResult,
  NO_GROUP_NAMED,
  readCsvRows,
  readJsonRows,
} from '../assets/asset-import.ts';
import { withoutCase } from '../http/one-line.ts';
import { cutText } from '../process/cut-text.ts';
import { grouped } from '../process/grouped.ts';

export interface ImportedFile {
  bytes: Buffer;
  isJson: boolean;
}

export interface Reason {
  error: string;
  lines: number[];
}

/** The mistakes of the most rows first. */
export function reasonsOf(results: readonly ImportResult[]): Reason[] {
  const faults = results.flatMap(({ error, line }) => (error === null ? [] : [{ error, line }]));
  return [...grouped(faults, ({ error }) => error)]
    .map(([error, found]) => ({ error, lines: found.map(({ line }) => line) }))
    .sort((a, b) => b.lines.length - a.lines.length);
}

/** Groups that one click creates at most. */
export const GROUPS_MAX = 20;

/** A refusal of the whole file, which the operation calls its body, with the way out of it. */
export function refusalInWords(message: string, { bytes, isJson }: ImportedFile): string {
  const text = message.replace(/^The body/, 'The file');
  if (text.endsWith('must be UTF-8'))
    return `${text}: in a spreadsheet, save it as "CSV UTF-8"; in an editor, choose the encoding UTF-8`;
  const [column, number] = /^Column (\d+)(?= has an unknown name)/.exec(text) ?? [];
  if (column === undefined || isJson) return text;
  const name = cutText(firstCsvLine(bytes)[Number(number) - 1] ?? '', NAME_LENGTH_MAX, '…');
  return `${column}, "${name}",${text.slice(column.length)}`;
}

const NAME_LENGTH_MAX = 60;

const DEVICE_NAME_MAX = 128;

/** Names of the devices in the file, by line, of these lines. One that is too long is cut. */
export function namesInFile(file: ImportedFile, lines: ReadonlySet<number>): Map<number, string> {
  const names = new Map<number, string>();
  let missingCount = lines.size;
  for (const row of rowsOf(file)) {
    if (missingCount === 0) break;
    if (!lines.has(row.line)) continue;
    missingCount -= 1;
    const name = 'value' in row ? textIn(row.value, 'name') : null;
    if (name !== null) names.set(row.line, cutText(name, DEVICE_NAME_MAX, '…'));
  }
  return names;
}

/** Names of groups that rows ask for and that do not exist, each once, compared without case. */
export function missingGroups(results: readonly ImportResult[], file: ImportedFile): string[] {
  const lines = new Set(results.filter(({ error }) => error === NO_GROUP_NAMED).map(({ line }) => line));
  if (lines.size === 0) return [];
  const names = new Map<string, string>();
  for (const row of rowsOf(file)) {
    const group = lines.has(row.line) && 'value' in row ? textIn(row.value, 'group') : null;
    if (group !== null && !names.has(withoutCase(group))) names.set(withoutCase(group), group);
  }
  return [...names.values()];
}

function* rowsOf({ bytes, isJson }: ImportedFile) {
  const decode = (part: Buffer) => part.toString();
  for (const block of isJson ? readJsonRows(bytes, decode) : readCsvRows(bytes, IMPORT_COLUMNS, decode))
    yield* block;
}

function textIn(row: unknown, name: 'group' | 'name'): string | null {
  const value = ((row ?? {}) as Record<string, unknown>)[name];
  return typeof value === 'string' ? value.trim() : null;
}

/** A serial number such as 282E11, which a spreadsheet has shown as 2.82E+13. */
const SPREADSHEET_NUMBER = /^\d+(?:[.,]\d+)?[A-F]?\+\d+$/i;

/** The mistake in a row, its warnings, and a hint where a spreadsheet has changed the serial number. */
export const whyOf = ({ error, warnings = [], serialNumber }: ImportResult): string[] => [
  ...(error === null ? [] : [error]),
  ...warnings,
  ...(SPREADSHEET_NUMBER.test(serialNumber ?? '')
    ? ['a spreadsheet has made a number of it: format the column as text']
    : []),
];

/** Lines of rows whose serial number an earlier row of the file has. */
export function repeatedLines(results: readonly ImportResult[]): Set<number> {
  const seen = new Set<string>();
  return new Set(
    [...results]
      .sort((a, b) => a.line - b.line)
      .flatMap(({ serialNumber, line, outcome }) => {
        const key = serialNumber?.toLowerCase();
        if (key === undefined || outcome === 'failed') return [];
        if (seen.has(key)) return [line];
        seen.add(key);
        return [];
      }),
  );
}
