/** Readings of many assets as lines: asset by asset, each newest first. Memory holds one chunk, however many there are. */
import type { Pace } from '../process/pacer.ts';
import type { ExportScope } from './export-scopes.repository.ts';
import type { HistoryFilter, HistoryRepository } from './history.repository.ts';
import type { HistoryCursor, HistoryReading } from './history.ts';
import { CSV_COLUMNS, readingView } from './history.ts';

export interface ExportDeps {
  /** On connections of its own. */
  history: Pick<HistoryRepository, 'lister'>;
  pace: Pace;
}

export interface ExportFormat {
  header: string;
  toLine(scope: ExportScope, reading: HistoryReading): string;
}

const COLUMNS = ['assetId', 'serialNumber', ...CSV_COLUMNS] as const;

const lineView = ({ assetId, serialNumber, layout }: ExportScope, reading: HistoryReading) => ({
  assetId,
  serialNumber,
  ...readingView(reading, layout),
});

export const NDJSON: ExportFormat = {
  header: '',
  toLine: (scope, reading) => `${JSON.stringify(lineView(scope, reading))}\n`,
};

export const CSV: ExportFormat = {
  header: `${COLUMNS.join()}\r\n`,
  toLine(scope, reading) {
    const view: Partial<Record<string, unknown>> = lineView(scope, reading);
    return `${COLUMNS.map((column) => view[column] ?? '').join()}\r\n`;
  },
};

/** Few enough that other requests do not wait for a chunk. */
const CHUNK = { readings: 250, statements: 10 };

interface Chunk {
  lines: string;
  readings: number;
}

/** Read chunk by chunk as the client takes it; between two chunks it holds no connection. */
export async function* exportLines(
  { history, pace }: ExportDeps,
  scopes: AsyncIterable<ExportScope>,
  { from, to, format }: { from: Date; to: Date; format: ExportFormat },
): AsyncGenerator<string> {
  const pages = pagesOf(history, scopes, { from, to, channel: null });
  let isOver = false;
  async function readChunk(): Promise<Chunk> {
    const chunk = { lines: '', readings: 0 };
    for (let statement = 0; statement < CHUNK.statements && chunk.readings < CHUNK.readings; statement++) {
      const { value, done } = await pages.next();
      isOver = done === true;
      if (done) break;
      chunk.lines += value.readings.map((reading) => format.toLine(value.scope, reading)).join('');
      chunk.readings += value.readings.length;
    }
    return chunk;
  }
  const first = await pace(readChunk);
  yield format.header + first.lines;
  while (!isOver) {
    const { lines } = await pace(readChunk);
    if (lines !== '') yield lines;
  }
}

/** One statement each. */
async function* pagesOf(
  history: ExportDeps['history'],
  scopes: AsyncIterable<ExportScope>,
  filter: Pick<HistoryFilter, 'from' | 'to' | 'channel'>,
): AsyncGenerator<{ scope: ExportScope; readings: HistoryReading[] }, undefined> {
  for await (const scope of scopes) {
    const list = history.lister(scope);
    let before: HistoryCursor | null = null;
    do {
      const readings: HistoryReading[] = await list({ ...filter, before, limit: CHUNK.readings });
      yield { scope, readings };
      before = readings.length < CHUNK.readings ? null : (readings.at(-1) ?? null);
    } while (before);
  }
}

/** Of all active assets, some at a time. */
export async function* listAllScopes(
  listActive: (after: string | null, limit: number) => Promise<ExportScope[]>,
): AsyncGenerator<ExportScope> {
  for (let after: string | null = null; ; ) {
    const scopes: ExportScope[] = await listActive(after, SCOPES_PER_PAGE);
    yield* scopes;
    after = scopes.length < SCOPES_PER_PAGE ? null : (scopes.at(-1)?.assetId ?? null);
    if (after === null) return;
  }
}

const SCOPES_PER_PAGE = 100;
