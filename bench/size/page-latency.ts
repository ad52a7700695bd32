/**
 * Pages over HTTP, one request at a time. A failing request ends the bench, unless the list no longer exists.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { percentile } from '../support/percentile.ts';
import { fleetOf, printLines, type SizeBench } from './size-bench.ts';

const REQUESTS = 300;
/** A slow page is measured by as many requests as fit into this time. */
const MEASURED_MS_MAX = 10_000;
const P99_MS_MAX = 20;
const LIMIT = 50;

export interface MeasuredPath {
  name: string;
  /** Ends with ? or &. */
  path: string;
  /** Default: the first. */
  organization?: number;
  /** Whether the answer has no pages. */
  isWhole?: boolean;
}

/** Measures the first page of each path, and a deep one. */
export async function measurePages(bench: SizeBench, title: string, paths: MeasuredPath[]): Promise<void> {
  const lines = [];
  for (const { name, path, organization = 0, isWhole } of paths) {
    const get = getter(bench, organization);
    const pages = isWhole ? [['whole', path] as const] : await pagesOf(path, get);
    if (pages.length === 0) process.stderr.write(`${name}: deleted, load anew to measure it\n`);
    for (const [page, address] of pages) {
      const sorted = await measure(() => get(address));
      const [p50, p99] = [0.5, 0.99].map((quantile) => percentile(sorted, quantile)) as [number, number];
      process.stderr.write(`${name}, ${page}: p50 ${p50}, p99 ${p99} ms\n`);
      lines.push({ what: `${name}, ${page}`, value: p99, unit: 'ms', max: P99_MS_MAX });
    }
  }
  printLines(`${title}, p99 of ${REQUESTS} requests or 10 s, pages of ${LIMIT}`, lines);
}

interface Page {
  items: Array<{ id?: string; assetId?: string }>;
  nextCursor: string | null;
}
/** Null: not found. */
type Get = (path: string) => Promise<Page | null>;

const getter =
  (bench: SizeBench, organization: number): Get =>
  async (path) => {
    const { statusCode, body } = await request(bench.stack.apiUrl + path, {
      headers: { authorization: `Bearer ${fleetOf(bench, organization).apiKey}` },
    });
    const text = await body.text();
    if (statusCode === 404) return null;
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
    return JSON.parse(text);
  };

/**
 * The first page, and one after 10,000 items if there are that many. Empty for a list that does not exist.
 */
async function pagesOf(path: string, get: Get): Promise<Array<[string, string]>> {
  let cursor: string | null = null;
  for (let page = 0; page < 20; page++) {
    const answer = await get(`${path}limit=500${cursor === null ? '' : `&cursor=${cursor}`}`);
    if (answer === null) return [];
    if (answer.nextCursor === null) break;
    cursor = answer.nextCursor;
  }
  const first: [string, string] = ['first page', `${path}limit=${LIMIT}`];
  return cursor === null ? [first] : [first, ['deep page', `${path}limit=${LIMIT}&cursor=${cursor}`]];
}

/** Returns milliseconds, sorted. */
async function measure(work: () => Promise<unknown>): Promise<number[]> {
  const latencies: number[] = [];
  const endMs = performance.now() + MEASURED_MS_MAX;
  for (let count = 0; count < REQUESTS && performance.now() < endMs; count++) {
    const startedAt = performance.now();
    await work();
    latencies.push(performance.now() - startedAt);
    await delay(1);
  }
  return latencies.sort((a, b) => a - b);
}
