/** Measurements of an asset, summarized in buckets. */
import assert from 'node:assert/strict';
import { MEASUREMENTS } from '../../migrations/partitioned-tables.ts';
import { createPartitionKeeper } from '../../src/db/partitions.ts';
import type { Reading } from '../../src/devices/reading.ts';
import { createCompactionRepository } from '../../src/measurements/compaction.repository.ts';
import { toBlocks } from '../../src/measurements/reading-block.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import { listAll } from '../support/client.ts';
import { SENSOR_FAULT, temperature } from './fixtures.ts';
import { useLogger } from './harness.ts';

interface Item {
  channel: number;
  from: string;
  min: number;
  avg: number;
  max: number;
  count: number;
}

const DAY = Math.floor(Date.now() / DAY_MS) * DAY_MS - 10 * DAY_MS;
const at = (minutes: number) => new Date(DAY + minutes * 60_000);
type Parameters = Record<string, string | number | Date>;
const query = (parameters: Parameters): string => {
  const pairs = Object.entries(parameters).map(
    ([name, value]) => [name, value instanceof Date ? value.toISOString() : String(value)] as const,
  );
  return `?${new URLSearchParams(Object.fromEntries(pairs))}`;
};
const short = ({ channel, from, min, avg, max, count }: Item) => [
  channel,
  (Date.parse(from) - DAY) / 60_000,
  min,
  avg,
  max,
  count,
];

describe('A curve', () => {
  const logger = useLogger();
  const curve = async (parameters: Parameters) => (await logger.history(query(parameters))).items.map(short);

  /** Stored in blocks of this many readings. */
  async function store(readings: Reading[], perBlock = readings.length): Promise<void> {
    const { org, assetId } = logger;
    const stored = readings.map((reading) => ({
      ...reading,
      late: true,
      receivedAt: new Date(),
      periodSeconds: null,
    }));
    const blocks = [];
    for (let index = 0; index < stored.length; index += perBlock) {
      blocks.push(...toBlocks(stored.slice(index, index + perBlock)));
    }
    const times = readings.map(({ measuredAt }) => measuredAt);
    await createPartitionKeeper(logger.dms.service.sql, MEASUREMENTS).ensure(times);
    await createCompactionRepository(logger.dms.service.sql).insert(
      blocks.map((block) => ({ organizationId: org.id, assetId, block, freshHour: null })),
    );
  }
  const sample = (minute: number, value: number | null, more: Partial<Reading> = {}) =>
    temperature(0, { measuredAt: at(minute), value, error: value === null ? SENSOR_FAULT : null, ...more });

  it('shows minimum, average, maximum and count of each channel and bucket, newest first, then by channel', async () => {
    await store([
      sample(0, 1),
      sample(59, 2.5),
      sample(60, -3),
      sample(61, 4, { channel: 2 }),
      sample(62, null),
      sample(180, null),
    ]);
    assert.deepEqual(await curve({ resolution: '1h' }), [
      [1, 60, -3, -3, -3, 1],
      [2, 60, 4, 4, 4, 1],
      [1, 0, 1, 1.75, 2.5, 2],
    ]);
    assert.deepEqual(await curve({ resolution: '1d', channel: 1 }), [[1, 0, -3, 0.166666666667, 2.5, 3]]);
    const { items } = await logger.history(query({ resolution: '5m', limit: 1 }));
    assert.deepEqual(items, [
      {
        channel: 1,
        position: 'probe',
        type: 'temperature',
        unit: '°C',
        from: at(60).toISOString(),
        min: -3,
        avg: -3,
        max: -3,
        count: 1,
      },
    ]);
  });

  it('counts readings from `from` to before `to`', async () => {
    await store([sample(0, 1), sample(1, 2), sample(2, 3), sample(3, 4)]);
    assert.deepEqual(await curve({ resolution: '1h', from: at(1), to: at(3) }), [[1, 0, 2, 2.5, 3, 2]]);
    assert.deepEqual(await curve({ resolution: '1h', from: at(4) }), []);
  });

  it('returns the same in pages of any size, and for blocks of any length', async () => {
    const readings = Array.from({ length: 600 }, (_, index) =>
      sample(index * 7, (index * 37) % 100, { channel: 1 + (index % 2) }),
    );
    await store(readings, 1);
    const whole = await curve({ resolution: '1h', limit: 500 });
    assert.equal(whole.length, 140);
    assert.equal(
      whole.reduce((sum: number, item: number[]) => sum + (item[5] ?? 0), 0),
      600,
    );
    const path = `/assets/${logger.assetId}/measurements${query({ resolution: '1h', limit: 9 })}`;
    assert.deepEqual((await listAll(logger.org.api, path)).map(short), whole);
    await logger.newLogger();
    await store(readings);
    assert.deepEqual(await curve({ resolution: '1h', limit: 500 }), whole);
  });

  it('allows up to 10,000 buckets a page, and single readings only 500', async () => {
    await store(Array.from({ length: 600 }, (_, index) => sample(index * 60, index % 20)));
    assert.equal((await curve({ resolution: '1h', limit: 10_000 })).length, 600);
    const tooLarge: Parameters[] = [{ resolution: '1h', limit: 10_001 }, { limit: 501 }];
    for (const parameters of tooLarge) {
      const path = `/assets/${logger.assetId}/measurements${query(parameters)}`;
      const { status, body } = await logger.org.api.get(path);
      assert.deepEqual([status, body.message.includes('limit')], [400, true]);
    }
  });

  it('includes blocks with uneven times, sensor errors and long decimals', async () => {
    const uneven = [0, 1.5, 1.75, 9].map((minute, index) => sample(minute, index === 2 ? null : index / 3));
    await store(uneven);
    await store([sample(20, -0.125), sample(21, 7)], 1);
    const values = [0, 1 / 3, 1, -0.125, 7];
    const sum = values.reduce((total, value) => total + value, 0);
    assert.deepEqual(await curve({ resolution: '1h' }), [
      [1, 0, -0.125, Number((sum / 5).toPrecision(12)), 7, 5],
    ]);
  });

  it('spans gaps of years', async () => {
    await store([sample(0, 1), sample(-800 * 1_440, 2)]);
    assert.deepEqual(
      (await curve({ resolution: '1d' })).map(([, from]: number[]) => from),
      [0, -800 * 1_440],
    );
  });

  it('returns one table as CSV, for any limit', async () => {
    await store(Array.from({ length: 120 }, (_, index) => sample(index, index)));
    const { text, headers } = await logger.org.api.get(
      `/assets/${logger.assetId}/measurements${query({ resolution: '5m', limit: 1 })}`,
      { headers: { accept: 'text/csv' } },
    );
    const lines = text.split('\r\n');
    assert.match(String(headers['content-type']), /^text\/csv/);
    assert.equal(lines[0], 'channel,position,type,unit,from,min,avg,max,count');
    assert.equal(lines[1], `1,probe,temperature,°C,${at(115).toISOString()},115,117,119,5`);
    assert.deepEqual([lines.length, lines.at(-1)], [26, '']);
  });

  it('refuses other resolutions, and cursors of readings', async () => {
    await store([sample(0, 1), sample(1, 1)]);
    const { nextCursor } = await logger.history(query({ limit: 1 }));
    const wrong: Parameters[] = [{ resolution: '2h' }, { resolution: '1h', cursor: nextCursor }];
    for (const parameters of wrong) {
      const path = `/assets/${logger.assetId}/measurements${query(parameters)}`;
      assert.equal((await logger.org.api.get(path)).status, 400);
    }
  });
});
