/** A command is data: its help, its completion and its parsing come from the same description. */
import type { OperationId } from '../../client/src/index.ts';

export interface CommandInput {
  positionals: string[];
  options: Record<string, unknown>;
  /** Whether the output is for programs: JSON, or one object per line in a continuous output. */
  isJson: boolean;
}

export interface Table {
  headings: string[];
  rows: Array<Array<string | null>>;
  /** Items for programs; by default an object for each row. */
  items?: readonly unknown[];
  /** A sentence for people, on standard error. */
  note?: string;
}

/** A sentence for people, or text with the value that programs get instead. */
export type Output = string | Table | { text: string; value: unknown };

export interface CommandOption {
  /** Without hyphens. */
  name: string;
  /** Placeholder, `a|b` for one of these; null for an option without a value. */
  value: string | null;
  help: string;
}

export interface Command {
  words: string[];
  /**
   * Arguments after the words of the command, in the form of the usage text. Those outside of brackets are
   * required, `NAME…` takes any number, and `a|b` means one of these.
   */
  args: string;
  /** Further options, all of them optional, with a line each in the help. */
  options?: readonly CommandOption[];
  summary: string;
  /** Further lines of its own help: requirements and exit codes. */
  details?: string;
  /**
   * Whether it uses the API, and so works from everywhere. Other commands need the database, or the service's
   * own settings.
   */
  isRemote?: boolean;
  /** Operations of the API that it is there for. */
  operations?: readonly OperationId[];
  /** Its name in the audit trail; absent for commands that change nothing of an organization. */
  action?: string;
  /** Returns the output; nothing when it has already printed. */
  run(input: CommandInput): Promise<Output | undefined>;
}

/** Invalid arguments; the message names valid ones. */
export class UsageError extends Error {}

/** The arguments were valid, and the command failed for the reason in its message. */
export class CommandFailed extends Error {}

/** Ctrl-C at a prompt. */
export class Interrupted extends Error {}

/** Returns a required argument: a positional by its place, or an option by its name. */
export function required(input: CommandInput, key: number | string, name = `--${key}`): string {
  const value = typeof key === 'number' ? input.positionals[key] : input.options[key];
  if (typeof value !== 'string') throw new TypeError(`The args of the command do not require ${name}`);
  return value;
}

export const option = (input: CommandInput, name: string): string | undefined =>
  input.options[name] as string | undefined;

export const LIMIT_DEFAULT = 20;

/** Number of items that a list shows. */
export function limitOption(input: CommandInput): number {
  if (input.options.all === true) return Number.POSITIVE_INFINITY;
  const limit = Number(option(input, 'limit') ?? LIMIT_DEFAULT);
  if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit must be a whole number from 1');
  return limit;
}

export const isWebAddress = (text: string): boolean => /^https?:/i.test(text) && URL.canParse(text);

/** An http or https URL. */
export function urlOption(input: CommandInput, name: string): string | undefined {
  const url = option(input, name);
  if (url === undefined || isWebAddress(url)) return url;
  throw new UsageError(`--${name} must be a URL that begins with http:// or https://`);
}

export function durationMs(text: string, name: string): number {
  const ms = parseDurationMs(text);
  if (ms === null) throw new UsageError(`--${name} must be a number with d, h, m or s, such as 90d`);
  return ms;
}

export const print = (text: string) => void process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** Converts `90d`, `24h`, `30m`, `10s` to milliseconds; null for any other text. */
export function parseDurationMs(text: string): number | null {
  const match = /^(\d{1,6})([dhms])$/.exec(text);
  return match && Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}
