/** Reading page by page returns every item once, for any number of devices and readings. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { query } from '../../src/db/query.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import { listAll } from '../support/client.ts';
import { register, registerMany } from '../support/fleet.ts';
import type { TestOrganization } from '../support/service.ts';
import { reading } from './fixtures.ts';
import { useLogger } from './harness.ts';

const PER_BLOCK = 100;
/** In the middle of a day within one partition, at any time. */
const NEWEST_MS = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 1) + DAY_MS / 2;
const RANGE = `from=${new Date(NEWEST_MS - DAY_MS).toISOString()}&to=${new Date(NEWEST_MS + 1).toISOString()}`;
const CSV = { headers: { accept: 'text/csv' } };

/** Few, about as many as a page or a statement takes, and many pages. */
const size = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 2, arbitrary: fc.integer({ min: 190, max: 260 }) },
  { weight: 1, arbitrary: fc.constantFrom(250, 500, 501, 750, 1_000, 2_000) },
);
const sizes = fc.oneof(
  fc.array(size, { minLength: 1, maxLength: 8 }),
  fc.array(size, { minLength: 95, maxLength: 230 }),
  fc.constant<number[]>([2_000, 2_000, 200, 200]),
);

/** Number of readings of each asset. */
type Counts = Record<string, number>;

describe('Reading page by page', () => {
  const logger = useLogger();

  const run = <Row>(statement: string, bindings: unknown[]) =>
    query<Row>(logger.dms.service.sql, statement, bindings);

  const idsOf = async ({ id }: TestOrganization): Promise<string[]> =>
    (
      await run<{ id: string }>('select id from assets where organization_id = ? order by serial_number', [
        id,
      ])
    ).map((row) => row.id);

  /** Devices of a customer with this many readings each, one a second. */
  async function addFleet(counts: number[]): Promise<{ org: TestOrganization; expected: Counts }> {
    const org = await logger.dms.addOrganization();
    await registerMany(org, counts.length);
    const ids = await idsOf(org);
    await addReadings(org, ids, counts);
    const entries = ids.map((id, index): [string, number] => [id, counts[index] ?? 0]);
    return { org, expected: Object.fromEntries(entries.filter(([, count]) => count > 0)) };
  }

  const addReadings = (org: TestOrganization, ids: string[], counts: number[]) =>
    run(
      `insert into measurement_blocks
         (organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late, steps)
       select ?, asset_id, newest - (least(before + ${PER_BLOCK}, count) - 1) * interval '1 second',
         newest - before * interval '1 second', now(), 1, 1, 0, false,
         array(select n from generate_series(1, least(${PER_BLOCK}, count - before)) as n)
       from unnest(?::uuid[], ?::integer[]) as t (asset_id, count)
       cross join lateral generate_series(0, count - 1, ${PER_BLOCK}) as before
       cross join lateral (select ?::timestamptz as newest) as time`,
      [org.id, ids, counts, new Date(NEWEST_MS).toISOString()],
    );

  async function exported({ api }: TestOrganization, chosen: string): Promise<Counts[]> {
    const json = await api.get(`/measurements?${RANGE}&${chosen}`);
    const csv = await api.get(`/measurements?${RANGE}&${chosen}`, CSV);
    assert.deepEqual([json.status, csv.status], [200, 200], json.text);
    const items = json.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    const lines = csv.text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(','));
    return [
      countOnce(items.map(({ assetId, measuredAt }) => [assetId, measuredAt])),
      countOnce(lines.map((cells) => [cells[0] ?? '', cells[7] ?? ''])),
    ];
  }

  it('returns every reading once in an export of all, of a group, and of devices by id', () =>
    fc.assert(
      fc.asyncProperty(sizes, async (counts) => {
        const { org, expected } = await addFleet(counts);
        assert.deepEqual(await exported(org, 'all=true'), [expected, expected]);
        const ids = await idsOf(org);
        const named = ids.filter((_, index) => index % 2 === 0).slice(0, 100);
        const ofNamed = only(expected, named);
        assert.deepEqual(await exported(org, `assetIds=${named.join()}`), [ofNamed, ofNamed]);
        const { id: groupId } = (await org.api.post('/groups', { name: 'Some' })).body;
        const members = ids.filter((_, index) => index % 3 !== 1);
        await run('update assets set group_id = ? where id = any (?::uuid[])', [groupId, members]);
        const ofGroup = only(expected, members);
        assert.deepEqual(await exported(org, `groupId=${groupId}`), [ofGroup, ofGroup]);
      }),
      { numRuns: 4 },
    ));

  it('returns every reading of the others once in an export while devices are added, removed and send', () =>
    fc.assert(
      fc.asyncProperty(sizes, async (counts) => {
        const { org, expected } = await addFleet(counts);
        const ids = await idsOf(org);
        const leaving = ids.filter((_, index) => index % 5 === 2);
        let isOver = false;
        const changes = (async () => {
          for (let round = 0; !isOver; round++) {
            await register(org, `NEW-${round}`);
            const id = leaving[round % Math.max(leaving.length, 1)];
            if (id) await org.api.delete(`/assets/${id}`);
            const measuredAt = new Date(NEWEST_MS + DAY_MS / 4 + round * 1_000).toISOString();
            await org.device.post(`/devices/DEVICE-0000/measurements`, {
              readings: [reading({ measuredAt })],
            });
          }
        })();
        const staying = ids.filter((id) => !leaving.includes(id));
        try {
          for (const found of await exported(org, 'all=true')) {
            assert.deepEqual(only(found, staying), only(expected, staying));
          }
        } finally {
          isOver = true;
          await changes;
        }
      }),
      { numRuns: 2 },
    ));

  it('returns every reading and every bucket once in the pages of a history', () =>
    fc.assert(
      fc.asyncProperty(size, fc.integer({ min: 1, max: 40 }), async (count, limit) => {
        const { org } = await addFleet([count]);
        const [id = ''] = await idsOf(org);
        const pages = (query: string) => listAll(org.api, `/assets/${id}/measurements?${RANGE}&${query}`);
        const readings = await pages(`limit=${Math.max(limit, Math.ceil(count / 10))}`);
        assert.equal(new Set(readings.map(({ measuredAt }) => measuredAt)).size, count);
        assert.equal(readings.length, count);
        const buckets = await pages(`resolution=5m&limit=${limit}`);
        assert.equal(new Set(buckets.map(({ from }) => from)).size, buckets.length);
        assert.equal(
          buckets.reduce((sum, bucket) => sum + bucket.count, 0),
          count,
        );
      }),
      { numRuns: 5 },
    ));
});

const only = (counts: Counts, ids: string[]): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([id]) => ids.includes(id)));

/** How often each first part occurs in the pairs, which are all distinct. */
function countOnce(pairs: Array<[string, string]>): Counts {
  assert.equal(new Set(pairs.map(String)).size, pairs.length, 'none stands twice');
  const counts: Counts = {};
  for (const [id] of pairs) counts[id] = (counts[id] ?? 0) + 1;
  return counts;
}
