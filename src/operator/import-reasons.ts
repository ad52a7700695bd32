/** The mistakes in the rows of an import: equal ones of many rows count as one. */
import {
  IMPORT_COLUMNS,
  type ImportResult,
  NO_GROUP_NAMED,
  readCsvRows,
  readJsonRows,
} from '../assets/asset-import.ts';

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
  const lines = new Map<string, number[]>();
  for (const { error, line } of results) {
    if (error === null) continue;
    const known = lines.get(error);
    if (known) known.push(line);
    else lines.set(error, [line]);
  }
  return [...lines]
    .map(([error, found]) => ({ error, lines: found }))
    .sort((a, b) => b.lines.length - a.lines.length);
}

/** Groups that one click creates at most. */
export const GROUPS_MAX = 20;

/** Names of groups that rows ask for and that do not exist, each once, compared without case. */
export function missingGroups(results: readonly ImportResult[], file: ImportedFile): string[] {
  const lines = new Set(results.filter(({ error }) => error === NO_GROUP_NAMED).map(({ line }) => line));
  if (lines.size === 0) return [];
  const names = new Map<string, string>();
  for (const row of rowsOf(file)) {
    const group = lines.has(row.line) && 'value' in row ? groupOf(row.value) : null;
    if (group !== null && !names.has(group.toLowerCase())) names.set(group.toLowerCase(), group);
  }
  return [...names.values()];
}

function* rowsOf({ bytes, isJson }: ImportedFile) {
  const decode = (part: Buffer) => part.toString();
  for (const block of isJson ? readJsonRows(bytes, decode) : readCsvRows(bytes, IMPORT_COLUMNS, decode))
    yield* block;
}

function groupOf(value: unknown): string | null {
  const { group } = (value ?? {}) as { group?: unknown };
  return typeof group === 'string' ? group.trim() : null;
}

/** A serial number such as 282E11, which a spreadsheet has shown as 2.82E+13. */
export const isSpreadsheetNumber = (serialNumber: string): boolean =>
  /^\d+(?:[.,]\d+)?[A-F]?\+\d+$/i.test(serialNumber);

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
