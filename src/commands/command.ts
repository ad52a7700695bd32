/** A command is data, so its usage text always describes what runs. */
import { parseArgs } from 'node:util';

export interface CommandInput {
  positionals: string[];
  options: Record<string, unknown>;
}

export interface Command {
  words: string[];
  /** What follows the words, as the usage text shows it. */
  args: string;
  summary: string;
  /** What the audit trail calls it; absent for commands that change nothing of an organization. */
  action?: string;
  run(input: CommandInput): Promise<void>;
}

/** What was typed is wrong; the message says what would be right. */
export class UsageError extends Error {}

/** Parses what was typed after the words. What `args` does not name is refused, never ignored. */
export function inputOf(command: Command, typed: string[]): CommandInput {
  const { names, options } = shapeOf(command.args);
  const parsed = parsedWith(typed, options);
  if (parsed.positionals.length > names.length) {
    const call = `${command.words.join(' ')} ${command.args}`.trim();
    throw new UsageError(`${parsed.positionals[names.length]} is one word too many: ${call}`);
  }
  return parsed;
}

type OptionTypes = Record<string, { type: 'string' | 'boolean' }>;

const OPTION = /--([a-z-]+)(?: ([^\s\]]+))?/g;

/** Parses `ID [--overlap 24h]` into the names of positionals and the types of options. */
function shapeOf(args: string): { names: string[]; options: OptionTypes } {
  const found = [...args.matchAll(OPTION)].map(([, name, value]) => [
    name,
    { type: value === undefined ? 'boolean' : 'string' },
  ]);
  const names = args.replace(OPTION, '').match(/[^\s[\]]+/g) ?? [];
  return { names, options: Object.fromEntries(found) };
}

function parsedWith(typed: string[], options: OptionTypes): CommandInput {
  try {
    const { positionals, values } = parseArgs({ args: typed, options, allowPositionals: true });
    return { positionals, options: values };
  } catch (error) {
    const [sentence] = (error as Error).message.split(/\. |\n/);
    throw new UsageError(sentence);
  }
}

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
