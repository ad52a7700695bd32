/** The history as a CSV table, which reads a table at the pace of the client. */
import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import type { StoredReading } from '../../src/devices/reading.ts';
import { createConcurrencyLimit } from '../../src/http/concurrency-limit.ts';
import type { Caller, Route } from '../../src/http/route.ts';
import type { HistoryFilter } from '../../src/measurements/history.repository.ts';
import { parseCursor, prefers, toCursor } from '../../src/measurements/history.ts';
import { measurementsRoutes } from '../../src/measurements/measurements.routes.ts';

const START = Date.UTC(2026, 2, 2);

/** A history of this many readings, one a second; counts how often it is read. */
function historyOf(count: number, failAfter = Number.POSITIVE_INFINITY) {
  const reads: HistoryFilter[] = [];
  const at = (index: number): StoredReading => ({
    channel: 1,
    type: 1,
    value: index,
    error: null,
    late: false,
    measuredAt: new Date(START - index * 1_000),
    receivedAt: new Date(START),
    periodSeconds: null,
  });
  return {
    reads,
    findScope: async (organizationId: string, assetId: string) => ({
      organizationId,
      assetId,
      layout: { model: null, channelTypes: null },
    }),
    list: () => Promise.reject(new Error('not a table')),
    listSamples: () => Promise.reject(new Error('not a curve')),
    lister: () => async (filter: HistoryFilter) => {
      reads.push(filter);
      if (reads.length > failAfter) throw new Error('the database went away');
      const first = filter.before ? (START - filter.before.measuredAt.getTime()) / 1_000 + 1 : 0;
      const length = Math.max(0, Math.min(filter.limit, count - first));
      return Array.from({ length }, (_, index) => at(first + index));
    },
  };
}

async function tableOf(history: ReturnType<typeof historyOf>): Promise<Readable> {
  const routes = measurementsRoutes({
    intake: { receive: async () => null, handle: async () => null, receiveInfo: async () => false },
    history,
    findScope: history.findScope,
    exports: {
      history,
      limit: createConcurrencyLimit({ name: 'exports', perKeyMax: 100, perProcessMax: 100 }),
      pace: (_organizationId, piece) => piece(),
    },
  });
  const list = routes.find(({ operationId }) => operationId === 'listMeasurements') as Route;
  const { body } = await list.handle({
    caller: { organizationId: 'o' } as Caller,
    params: { assetId: 'a' },
    query: { limit: 50 },
    header: () => 'text/csv',
    url: '/',
  } as never);
  return body as Readable;
}

describe('A table of measurements', () => {
  it('writes every reading once, for any number of chunks', async () => {
    for (const count of [0, 1, 1_999, 2_000, 2_001, 10_000]) {
      const text = await (await tableOf(historyOf(count))).toArray();
      const [, ...lines] = Buffer.concat(text).toString().trimEnd().split('\r\n');
      const values = lines.map((line) => Number(line.split(',')[3]));
      assert.deepEqual(
        values,
        Array.from({ length: count }, (_, index) => index),
      );
    }
  });

  it('reads a table no faster than the client does', async () => {
    const history = historyOf(1_000_000);
    const table = await tableOf(history);
    table.once('readable', () => table.read(1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(history.reads.length <= 3, `${history.reads.length} chunks were read for one byte`);
    table.destroy();
  });

  it('reads no further after the client has gone', async () => {
    const history = historyOf(1_000_000);
    const table = await tableOf(history);
    let seen = 0;
    for await (const _ of table) if (++seen === 5) break;
    const { length } = history.reads;
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(history.reads.length, length);
    assert.ok(length < 10);
  });

  it('aborts the table when a later chunk cannot be read, and fails at once when the first cannot', async () => {
    const table = await tableOf(historyOf(10_000, 2));
    await assert.rejects(() => table.toArray(), /went away/);
    await assert.rejects(() => tableOf(historyOf(10_000, 0)), /went away/);
  });

  it('prefers CSV by weight, then by the more specific media range', () => {
    const csv = [
      'text/csv',
      'text/*',
      'text/csv, */*',
      'text/*, */*',
      'TEXT/CSV, */*;q=0.1',
      'application/json;q=0.9, text/csv',
      'a/b, text/csv;q=0.1',
    ];
    const json = [
      undefined,
      '*/*',
      'application/json',
      'text/csv, application/json',
      'text/csv;q=0.5, application/json',
      'text/csv;q=0, */*;q=0',
      '',
      'text/html',
      'text/csv;q=x',
    ];
    const prefersCsv = (accept: string | undefined) => prefers('text/csv', 'application/json', accept);
    for (const accept of csv) assert.ok(prefersCsv(accept), accept);
    for (const accept of json) assert.ok(!prefersCsv(accept), accept);
  });
});

describe('The cursor of the history', () => {
  it('parses a cursor to its reading', () => {
    const last = { measuredAt: new Date(START), channel: 6 };
    assert.deepEqual(parseCursor(toCursor(last)), last);
  });

  it('refuses a cursor that was never returned', () => {
    const forged = ['', 'x', '1.1', `${toCursor({ measuredAt: new Date(START), channel: 1 })}=`];
    const texts = ['1.7', '1.0', '9999999999999999.1', '1e3.1', ' 1.1', '1.1 ', '01.1', '999999999999999.1'];
    for (const cursor of [...forged, ...texts.map((text) => Buffer.from(text).toString('base64url'))]) {
      assert.throws(() => parseCursor(cursor), /cursor must be/, cursor);
    }
  });
});
