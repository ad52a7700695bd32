/**
 * Readings of many assets as lines: asset by asset, each newest first. Memory holds one chunk, for any number
 * of readings.
 */

import type { StoredReading } from '../devices/reading.ts';
import type { Pace } from '../process/pacer.ts';
import { pages } from '../process/pages.ts';
import type { ExportScope } from './export-scopes.repository.ts';
import type { HistoryRepository } from './history.repository.ts';
import { CSV_COLUMNS, csvHeaderOf, csvLineOf, readingView } from './history.ts';

export interface ExportDeps {
  /** Uses separate connections. */
  history: Pick<HistoryRepository, 'lister' | 'listFew'>;
  pace: Pace;
}

interface ExportFormat {
  header: string;
  toLine(scope: ExportScope, reading: StoredReading): string;
}

const COLUMNS = ['assetId', 'serialNumber', ...CSV_COLUMNS] as const;

const lineView = ({ assetId, serialNumber, layout }: ExportScope, reading: StoredReading) => ({
  assetId,
  serialNumber,
  ...readingView(reading, layout),
});

export const NDJSON: ExportFormat = {
  header: '',
  toLine: (scope, reading) => `${JSON.stringify(lineView(scope, reading))}\n`,
};

export const CSV: ExportFormat = {
  header: csvHeaderOf(COLUMNS),
  toLine: (scope, reading) => csvLineOf(COLUMNS, lineView(scope, reading)),
};

/** Few enough that other requests do not wait for a page. */
const READINGS_PER_PAGE = 250;
const ASSETS_PER_STATEMENT_MAX = 100;

interface Range {
  organizationId: string;
  from: Date;
  to: Date;
}

interface ExportQuery extends Range {
  format: ExportFormat;
}

interface Page {
  scope: ExportScope;
  readings: StoredReading[];
}

/**
 * Reads statement by statement at the pace of the client, and holds no connection in between. Statements
 * without a result are pieces, too, so a stream whose client has gone ends at the next piece.
 */
export async function* exportLines(
  { history, pace }: ExportDeps,
  scopes: AsyncIterable<ExportScope>,
  { format, ...range }: ExportQuery,
): AsyncGenerator<string> {
  const statements = readPages(history, scopes, range);
  const readNext = () => pace(range.organizationId, () => statements.next());
  let { value, done } = await readNext();
  yield format.header + (done ? '' : toLines(value, format));
  while (!done) {
    ({ value, done } = await readNext());
    if (!done) yield toLines(value, format);
  }
}

const toLines = (pages: Page[] | undefined, format: ExportFormat): string =>
  (pages ?? []).flatMap(({ scope, readings }) => readings.map((each) => format.toLine(scope, each))).join('');

/**
 * Reads many assets per statement while they have few readings, and one with more page by page. Each page is
 * one statement.
 */
async function* readPages(
  history: ExportDeps['history'],
  scopes: AsyncIterable<ExportScope>,
  range: Range,
): AsyncGenerator<Page[], undefined> {
  const rest = scopes[Symbol.asyncIterator]();
  let waiting: ExportScope[] = [];
  let assetsMax = ASSETS_PER_STATEMENT_MAX;
  for (;;) {
    waiting = await fillUp(waiting, rest, assetsMax);
    if (waiting.length === 0) return;
    const asked = waiting.slice(0, assetsMax);
    const found = await history.listFew({ ...range, assetIds: asked.map(({ assetId }) => assetId) });
    yield found.map((readings, index) => ({ scope: asked[index] as ExportScope, readings }));
    const large = asked[found.length];
    if (large) yield* readLarge(history, large, range);
    waiting = waiting.slice(found.length + (large ? 1 : 0));
    // Large assets are often adjacent, and the readings behind one are read again.
    assetsMax = Math.min(ASSETS_PER_STATEMENT_MAX, 2 * found.length + 1);
  }
}

async function fillUp(
  waiting: ExportScope[],
  rest: AsyncIterator<ExportScope>,
  length: number,
): Promise<ExportScope[]> {
  const filled = [...waiting];
  while (filled.length < length) {
    const { value, done } = await rest.next();
    if (done) break;
    filled.push(value);
  }
  return filled;
}

async function* readLarge(
  history: ExportDeps['history'],
  scope: ExportScope,
  { from, to }: Range,
): AsyncGenerator<Page[]> {
  const list = history.lister(scope);
  const filter = { from, to, channel: null, limit: READINGS_PER_PAGE };
  const found = pages(filter.limit, (before: StoredReading | null) => list({ ...filter, before }));
  for await (const readings of found) yield [{ scope, readings }];
}

/** Scopes of all active assets, some at a time. */
export async function* listAllScopes(
  listActive: (after: string | null, limit: number) => Promise<ExportScope[]>,
): AsyncGenerator<ExportScope> {
  const found = pages(SCOPES_PER_PAGE, (last: ExportScope | null) =>
    listActive(last?.assetId ?? null, SCOPES_PER_PAGE),
  );
  for await (const scopes of found) yield* scopes;
}

const SCOPES_PER_PAGE = 100;
