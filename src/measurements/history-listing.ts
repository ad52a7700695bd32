/**
 * The two ways to list the measurements of an asset, single readings and buckets, each as a page and as a
 * table.
 */

import type { StoredReading } from '../devices/reading.ts';
import type { Pace } from '../process/pacer.ts';
import { pages } from '../process/pages.ts';
import { type BucketFilter, walkBuckets } from './bucket-walk.ts';
import {
  BUCKETS_CSV_HEADER,
  type Bucket,
  bucketCsvLine,
  bucketView,
  parseBucketCursor,
  RESOLUTIONS,
  type Resolution,
  toBucketCursor,
} from './buckets.ts';
import type { HistoryFilter, HistoryRepository, HistoryScope } from './history.repository.ts';
import { CSV_HEADER, csvLine, parseCursor, readingView, toCursor } from './history.ts';
import type { ListMeasurements } from './measurements.schemas.ts';

type ListDeps = Pick<HistoryRepository, 'list' | 'listSamples'>;

export interface TableDeps {
  /** Uses separate connections. */
  history: Pick<HistoryRepository, 'lister' | 'listSamples'>;
  pace: Pace;
}

interface Listed {
  item: unknown;
  /** The cursor of a page that ends with it. */
  cursor(): string;
}

interface Listing {
  /** One more than the limit, if there are enough. */
  list(history: ListDeps, scope: HistoryScope): Promise<Listed[]>;
  /** Reads chunk by chunk at the pace of the client, and holds no connection in between. */
  table(deps: TableDeps, scope: HistoryScope): AsyncGenerator<string>;
}

/** Few enough that other requests do not wait for a chunk. */
const CSV_CHUNK = 250;

export function listReadings(query: ListMeasurements): Listing {
  const filter = toHistoryFilter(query);
  return {
    async list(history, scope) {
      const readings = await history.list(scope, { ...filter, limit: query.limit + 1 });
      return readings.map((reading) => ({
        item: readingView(reading, scope.layout),
        cursor: () => toCursor(reading),
      }));
    },
    table: (deps, scope) => tableOfReadings(deps, scope, filter),
  };
}

export function listBuckets(query: ListMeasurements, resolution: Resolution): Listing {
  const filter = toBucketFilter(query, resolution);
  return {
    async list(history, scope) {
      const buckets: Bucket[] = [];
      for await (const some of walkBuckets(history, scope, { ...filter, wanted: query.limit + 1 })) {
        buckets.push(...some);
        if (buckets.length > query.limit) break;
      }
      return buckets.slice(0, query.limit + 1).map((bucket) => ({
        item: bucketView(bucket, scope.layout),
        cursor: () => toBucketCursor(bucket),
      }));
    },
    table: (deps, scope) => tableOfBuckets(deps, scope, filter),
  };
}

const rangeOf = ({ from, to, channel }: ListMeasurements) => ({
  from: from ?? null,
  to: to ?? null,
  channel: channel ?? null,
});

const toHistoryFilter = (query: ListMeasurements): HistoryFilter => ({
  ...rangeOf(query),
  before: query.cursor === undefined ? null : parseCursor(query.cursor),
  limit: query.limit,
});

const toBucketFilter = (query: ListMeasurements, resolution: Resolution): BucketFilter => ({
  ...rangeOf(query),
  sizeMs: RESOLUTIONS[resolution],
  wanted: null,
  after: query.cursor === undefined ? null : parseBucketCursor(query.cursor),
});

async function* tableOfReadings(
  { history, pace }: TableDeps,
  scope: HistoryScope,
  filter: HistoryFilter,
): AsyncGenerator<string> {
  const list = history.lister(scope);
  const chunks = pages(CSV_CHUNK, (last: StoredReading | null) =>
    pace(scope.organizationId, () => list({ ...filter, before: last ?? filter.before, limit: CSV_CHUNK })),
  );
  let header = CSV_HEADER;
  for await (const readings of chunks) {
    yield header + readings.map((reading) => csvLine(reading, scope.layout)).join('');
    header = '';
  }
}

async function* tableOfBuckets(
  { history, pace }: TableDeps,
  scope: HistoryScope,
  filter: BucketFilter,
): AsyncGenerator<string> {
  const walk = walkBuckets(history, scope, filter);
  let lines = BUCKETS_CSV_HEADER;
  for (;;) {
    const { value, done } = await pace(scope.organizationId, () => walk.next());
    if (done) break;
    lines += value.map((bucket) => bucketCsvLine(bucket, scope.layout)).join('');
    if (lines !== '') yield lines;
    lines = '';
  }
}
