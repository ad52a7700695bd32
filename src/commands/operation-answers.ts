/** Sends an operation, and shows its answer as a table, as lines, or as a file. */
import { createWriteStream } from 'node:fs';
import { extname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { ApiError, ConnectionError, type OperationId } from '../../client/src/index.ts';
import type { ApiOperation } from '../http/api-document.ts';
import type { Api } from './api.ts';
import {
  type CommandInput,
  type CommandOption,
  limitOption,
  type Output,
  option,
  UsageError,
} from './command.ts';
import { type OperationLayout, operationsIn } from './operation-layout.ts';
import { toLines, toTable, valueAt } from './show-value.ts';
import { writeWhole } from './write-whole.ts';

export const JSON_TYPE = 'application/json';

export interface Sent {
  api: Api;
  input: CommandInput;
  given: Record<string, unknown>;
  layout: OperationLayout;
  operation: ApiOperation;
}

type Call = (given: Record<string, unknown>) => Promise<unknown>;

const callOf = ({ api }: Sent, id: OperationId): Call => api.dms[id] as unknown as Call;

/** Calls the operation for the collection that knows the id, and tells which one that is. */
async function callEither(sent: Sent, more: object = {}): Promise<{ answer: unknown; call: Call }> {
  const given = { ...sent.given, ...more };
  const [first, second] = operationsIn(sent.layout).map((id) => callOf(sent, id)) as [Call, Call?];
  try {
    const answer = await first(given);
    // The client takes a deletion that it repeats for done, so the other collection is asked as well.
    if (answer === null) await second?.(given).catch(ignoreUnknown);
    return { answer, call: first };
  } catch (error) {
    if (!second || !isUnknown(error)) throw error;
    return { answer: await second(given), call: second };
  }
}

const isUnknown = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

function ignoreUnknown(error: unknown): void {
  if (!isUnknown(error)) throw error;
}

export async function sendForObject(sent: Sent): Promise<Output> {
  const { answer: value } = await callEither(sent);
  const { succeeded } = sent.layout;
  if (succeeded !== undefined && valueAt(value, succeeded) !== true) process.exitCode = 1;
  if (value === null) return { text: 'Done', value: {} };
  return { text: [...toLines(value), ...followUp(value)].join('\n'), value };
}

function followUp(value: unknown): string[] {
  const jobId = valueAt(value, 'jobId');
  return typeof jobId === 'string' ? [`Follow it: dms jobs watch ${jobId}`] : [];
}

const PAGE_MAX = 500;

/** The items that were asked for, page by page, and one more, which shows that there are more. */
export async function sendForList(sent: Sent, columns: readonly string[]): Promise<Output> {
  const limit = sent.operation.query.includes('cursor') ? limitOption(sent.input) : Number.POSITIVE_INFINITY;
  const found = await take(itemsOf(sent, Math.min(limit + 1, PAGE_MAX)), limit + 1);
  const items = found.slice(0, limit);
  const note = `These are ${limit} of more: --limit N shows N of them, --all shows all.`;
  return { ...toTable(items, columnsFor(items, columns)), ...(found.length > limit && { note }) };
}

/** Readings that are summed up have other fields. */
function columnsFor([item]: unknown[], columns: readonly string[]): readonly string[] {
  const isKnown = item === undefined || valueAt(item, columns[0] as string) !== undefined;
  return isKnown ? columns : Object.keys(item as object);
}

/** A cursor is good for the operation that gave it out. */
async function* itemsOf(sent: Sent, limit: number): AsyncGenerator<unknown> {
  const { answer, call } = await callEither(sent, { limit });
  let page = answer;
  for (;;) {
    yield* itemsIn(page);
    const cursor = valueAt(page, 'nextCursor');
    if (!cursor) return;
    page = await call({ ...sent.given, limit, cursor });
  }
}

/** The one list in an answer, whatever it is called. */
const itemsIn = (answer: unknown): unknown[] =>
  Object.values(answer as Record<string, unknown>).find((each) => Array.isArray(each)) as unknown[];

const FORMATS: Record<string, string> = {
  csv: 'text/csv',
  pdf: 'application/pdf',
  ndjson: 'application/x-ndjson',
  json: JSON_TYPE,
};

const formatsIn = (answers: readonly string[]): string[] =>
  Object.keys(FORMATS).filter((format) => answers.includes(FORMATS[format] as string));

export function fileOptions(answers: readonly string[]): CommandOption[] {
  const format = { name: 'format', help: 'Default: the end of the name of --output' };
  const output = { name: 'output', value: 'FILE', help: 'Writes the answer to a file, once it is complete' };
  return answers.length > 1 ? [{ ...format, value: formatsIn(answers).join('|') }, output] : [output];
}

/** A PDF of many days and devices begins when all of it was computed. */
const FILE_TIMEOUT_MS = 3_600_000;

/** Streams the answer to a file or the standard output. */
export async function sendFile(sent: Sent, answers: readonly string[]): Promise<Output | undefined> {
  const { input, layout } = sent;
  if (option(input, 'limit') !== undefined)
    throw new UsageError('--limit is for a list that is shown: --format and --output give all');
  const file = option(input, 'output');
  const type = typeOf(file, option(input, 'format'), answers);
  if (file === undefined && type === FORMATS.pdf && process.stdout.isTTY)
    throw new UsageError('A PDF is no text: name a file with --output');
  const isList = layout.columns !== undefined && type === JSON_TYPE;
  const bytes = await writeOutput(isList ? listed(sent) : received(sent, type), file);
  return bytes === null ? undefined : { text: `${file}: ${bytes} bytes`, value: { file, bytes } };
}

function typeOf(file = '', given: string | undefined, answers: readonly string[]): string {
  const formats = formatsIn(answers);
  const format = given ?? Object.keys(FORMATS).find((each) => extname(file).toLowerCase() === `.${each}`);
  if (format === undefined) return answers[0] as string;
  if (formats.includes(format)) return FORMATS[format] as string;
  throw new UsageError(`--output must end with .${formats.join(' or .')}`);
}

/** The items of all pages, one a line. */
async function* listed(sent: Sent): AsyncGenerator<string> {
  let before = '[\n';
  for await (const item of itemsOf(sent, PAGE_MAX)) {
    yield before + JSON.stringify(item);
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** The first items of a long list. */
export async function take<Item>(items: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= count) break;
  }
  return taken;
}

async function* received({ api, given, layout }: Sent, type: string): AsyncGenerator<unknown> {
  const [id] = operationsIn(layout) as [OperationId];
  const options = { headers: { Accept: type }, timeoutMs: FILE_TIMEOUT_MS };
  const { body } = await api.dms.send(id, given as never, options);
  try {
    yield* body as ReadableStream;
  } catch (error) {
    throw new ConnectionError(api.url, error);
  }
}

/** Returns the number of bytes of a file; null where the standard output, a device or a pipe got them. */
async function writeOutput(source: AsyncIterable<unknown>, file: string | undefined): Promise<number | null> {
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  if (file === undefined) {
    await pipeline(source, count, process.stdout, { end: false });
    return null;
  }
  const isFile = await writeFile(file, (path) => pipeline(source, count, createWriteStream(path)));
  return isFile ? bytes : null;
}

const NOT_WRITABLE = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EROFS'];

async function writeFile(file: string, write: (path: string) => Promise<void>): Promise<boolean> {
  try {
    return await writeWhole(file, write);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!NOT_WRITABLE.includes(code)) throw error;
    throw new UsageError(`--output must name a file that can be written, in a folder that exists: ${file}`);
  }
}
