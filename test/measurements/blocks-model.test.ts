/**
 * Frames of one device that repeat, overlap, interleave and come late, over two pools at once, compared with
 * a set.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createBatchTransact } from '../../src/db/batch-transaction.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { keyOfReading, type Reading } from '../../src/devices/reading.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { listAll } from '../support/client.ts';
import { compactClosedDays } from './compact.ts';
import { SENSOR_FAULT } from './fixtures.ts';
import { useLogger } from './harness.ts';
import { storedReadings } from './stored-readings.ts';

const now = Date.now();
const DAY_MINUTES = 1_440;

describe('Blocks against a set of readings', () => {
  const logger = useLogger();
  let other: Database;

  before(() => {
    other = openDatabase({
      url: logger.dms.settings.databaseUrl,
      poolSize: 3,
      statementTimeoutMs: 0,
      applicationName: 'other process',
    });
  });
  after(() => other.destroy());

  it('stores each reading once and counts exactly, while two processes store and a third compacts', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        await logger.newLogger();
        const intakes = [logger.intakeWith(), logger.intakeWith({ transact: createBatchTransact(other) })];
        const sent = new Map<number, Reading>();
        const seen = new Map<number, Set<number | null>>();
        const counts = { accepted: 0, total: 0 };
        for (const frames of all) {
          const receiving = frames.map(async (readings, index) => {
            const result = await intakes[index % 2]?.receive(logger.frame({ readings }));
            assert.ok(result);
            assert.equal(result.accepted + result.duplicates + result.conflicts, readings.length);
            counts.accepted += result.accepted;
          });
          await Promise.all([...receiving, compact()]);
          for (const reading of frames.flat()) {
            const key = keyOfReading(reading);
            sent.set(key, reading);
            seen.set(key, (seen.get(key) ?? new Set()).add(reading.value));
          }
        }
        await compact();
        const rows = await storedReadings(logger.dms.service.sql, logger.assetId);
        assert.deepEqual(rows.map(keyOfReading).toSorted(), [...sent.keys()].toSorted());
        assert.equal(counts.accepted, sent.size);
        for (const row of rows) assert.ok(seen.get(keyOfReading(row))?.has(row.value));
        await comparePages(sent);
      }),
      { numRuns: 25 },
    );
  });

  const compact = () => compactClosedDays(other, () => new Date(now));

  async function comparePages(sent: Map<number, Reading>): Promise<void> {
    const found = await listAll(logger.org.api, `/assets/${logger.assetId}/measurements?limit=7`);
    const expected = [...sent.keys()].sort((a, b) => b - a).map((key) => sent.get(key) as Reading);
    assert.deepEqual(
      found.map(({ measuredAt, channel }) => `${measuredAt} ${channel}`),
      expected.map(({ measuredAt, channel }) => `${measuredAt.toISOString()} ${channel}`),
    );
  }
});

/** Evenly spaced over an hour or two, now or days ago, or a single one anywhere. */
const frame = fc
  .record({
    start: fc.oneof(
      fc.integer({ min: -40, max: 0 }),
      fc.integer({ min: -3 * DAY_MINUTES - 40, max: -3 * DAY_MINUTES }),
      fc.integer({ min: -5 * DAY_MINUTES, max: -2 * DAY_MINUTES }),
    ),
    step: fc.constantFrom(1, 2, 5),
    count: fc.integer({ min: 1, max: 8 }),
    channel: fc.integer({ min: 1, max: 2 }),
    value: fc.oneof(
      fc.integer({ min: 0, max: 30 }).map((tenths) => tenths / 10),
      fc.double({ noNaN: true, min: 0, max: 1 }),
      fc.constant(null),
    ),
  })
  .map(({ start, step, count, channel, value }) =>
    Array.from(
      { length: count },
      (_, index): Reading => ({
        channel,
        type: 1,
        value,
        error: value === null ? SENSOR_FAULT : null,
        measuredAt: new Date(now + (start + index * step - 20) * MINUTE_MS),
      }),
    ),
  );
const rounds = fc.array(fc.array(frame, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
