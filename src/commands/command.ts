/** A command is data, so that the usage text cannot tell another story than what runs. */
import { openDatabase, type Sql } from '../db/database.ts';

export interface CommandInput {
  positionals: string[];
  options: Record<string, unknown>;
}

export interface Command {
  words: string[];
  /** What follows the words, as shown to people. */
  args: string;
  summary: string;
  run(input: CommandInput): Promise<void>;
}

/** The words that were typed are off; the message says what they should be. */
export class UsageError extends Error {}

export function usage(commands: Command[]): string {
  const lines = commands.map(({ words, args, summary }) => ({
    call: `${words.join(' ')} ${args}`.trim(),
    summary,
  }));
  const width = Math.max(...lines.map(({ call }) => call.length));
  return `npm run dms -- COMMAND\n\n${lines.map(({ call, summary }) => `  ${call.padEnd(width)}  ${summary}`).join('\n')}\n`;
}

export function required(input: CommandInput, index: number, name: string): string {
  const value = input.positionals[index];
  if (value === undefined) throw new UsageError(`${name} is missing`);
  return value;
}

export function option(input: CommandInput, name: string): string | undefined {
  const value = input.options[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} needs a value`);
  return value;
}

export async function withDatabase<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = openDatabase({ url, poolSize: 4, statementTimeoutMs: 0, applicationName: 'dms' });
  try {
    return await work(sql);
  } finally {
    await sql.destroy();
  }
}

/** `90d`, `24h`, `30m`, `10s` to milliseconds. */
export function durationMs(text: string, name: string): number {
  const match = /^(\d{1,6})([dhms])$/.exec(text);
  if (!match) throw new UsageError(`--${name} must be a number with d, h, m or s, such as 90d`);
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** Rows as aligned columns, headings first. */
export function table(headings: string[], rows: Array<Array<string | null>>): string {
  const cells = [headings, ...rows.map((row) => row.map((cell) => cell ?? '–'))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

export const print = (text: string) => void process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
