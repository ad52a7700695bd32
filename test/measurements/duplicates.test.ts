import assert from 'node:assert/strict';
import fc from 'fast-check';
import { query } from '../../src/db/query.ts';
import type { Reading } from '../../src/devices/reading.ts';
import { createMeasurementsRepository } from '../../src/measurements/measurements.repository.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { registerMany } from '../support/fleet.ts';
import { SENSOR_FAULT, temperature } from './fixtures.ts';
import { useLogger } from './harness.ts';
import { storedReadings } from './stored-readings.ts';

/** At most eight batches of three frames each, for each of the two properties. */
const RUNS = 25;

const start = Date.now();
const at = (minute: number, more: Partial<Reading> = {}) => temperature(minute, more, start);
const fault = (minute: number, channel = 1) => at(minute, { channel, value: null, error: SENSOR_FAULT });
const counts = (accepted: number, duplicates: number, { dropped = 0, conflicts = 0 } = {}) => ({
  accepted,
  duplicates,
  conflicts,
  dropped,
});

describe('Readings that were stored before', () => {
  const logger = useLogger();
  const { history, frame, intakeWith, newLogger, newSerial } = logger;

  /** Counts how often a batch is stored: twice if the state of a device was wrong. */
  function countingIntake() {
    let attempts = 0;
    const intake = intakeWith({
      measurementsIn: (sql) => ({
        ...createMeasurementsRepository(sql),
        store(frames, check) {
          attempts++;
          return createMeasurementsRepository(sql).store(frames, check);
        },
      }),
    });
    return {
      attempts: () => attempts,
      /** Sent concurrently, so that they are one batch. */
      receive: (batch: Reading[][], serials = batch.map(() => logger.serial)) =>
        Promise.all(
          batch.map(async (readings, index) => {
            const result = await intake.receive(frame({ readings, serialNumber: serials[index] as string }));
            assert.ok(result);
            const { accepted, duplicates, conflicts, dropped } = result;
            return { accepted, duplicates, conflicts, dropped };
          }),
        ),
    };
  }

  const setLatestMeasuredAt = (time: Date | null) =>
    query(
      logger.dms.service.sql,
      'update device_states set latest_measured_at = ?::timestamptz where asset_id = ?',
      [time?.toISOString() ?? null, logger.assetId],
    );

  it('finds duplicates in one attempt when the state of the device does not know its latest reading', async () => {
    const { receive, attempts } = countingIntake();
    await receive([[at(-9), at(-1)]]);
    await setLatestMeasuredAt(null);
    assert.deepEqual(await receive([[at(-9)]]), [counts(0, 1)]);
    assert.deepEqual(await receive([[at(-1)]]), [counts(0, 1)]);
    assert.equal(attempts(), 3);
  });

  it('counts duplicates, and fails no frame, when the state of the device knows less than is stored', async () => {
    const fleet = await registerMany(logger.org, 6, newSerial('NEIGHBOUR'));
    const { receive, attempts } = countingIntake();
    await receive([[at(-3), at(-2), at(-1)]]);
    await setLatestMeasuredAt(at(-60).measuredAt);
    const results = await receive(
      [...fleet.map(() => [at(-1)]), [at(-2), at(-1), at(0)], [at(0), at(1)]],
      [...fleet, logger.serial, logger.serial],
    );
    assert.deepEqual(results, [...fleet.map(() => counts(1, 0)), counts(1, 2), counts(1, 1)]);
    assert.equal((await history()).items.length, 5);
    // The batch of the first two frames of the device runs twice.
    assert.equal(attempts(), 4);
    assert.deepEqual(await receive([[at(0), at(1)]]), [counts(0, 2)]);
    assert.equal(attempts(), 5);
  });

  it('stores readings once and counts them exactly, for any frames in any order', async () => {
    await fc.assert(
      fc.asyncProperty(batches, (all) => play(all)),
      { numRuns: RUNS },
    );
  });

  it('stores readings once and counts them exactly, for any state of the device', async () => {
    const known = fc.infiniteStream(fc.option(minutes, { nil: null }));
    await fc.assert(
      fc.asyncProperty(batches, known, (all, latest) => play(all, latest)),
      { numRuns: RUNS },
    );
  });

  /** Batch by batch; with `latest`, the state of the device is overwritten before each. */
  async function play(all: Reading[][][], latest?: Iterator<number | null>): Promise<void> {
    await newLogger();
    const { receive, attempts } = countingIntake();
    const stored = new Map<string, Reading>();
    for (const batch of all) {
      const minute: number | null | undefined = latest?.next().value;
      if (minute !== undefined) await setLatestMeasuredAt(minute === null ? null : at(minute).measuredAt);
      const expected = batch.map((each) => countInto(stored, each));
      assert.deepEqual(await receive(batch), expected);
    }
    if (!latest) assert.equal(attempts(), all.flat().length);
    const rows = await storedReadings(logger.dms.service.sql, logger.assetId);
    assert.deepEqual(rows.map(toSample).toSorted(), [...stored.values()].map(toSample).toSorted());
  }
});

/** Around now, in the future, long ago, and later than is plausible. */
const minutes = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -12, max: 4 }) },
  { weight: 2, arbitrary: fc.integer({ min: 60, max: 63 }) },
  fc.integer({ min: -40_002, max: -40_000 }),
  fc.constant(1_500),
);
const channels = fc.integer({ min: 1, max: 2 });
const readings = fc.oneof(
  fc
    .tuple(minutes, channels, fc.constantFrom(4, 4.1))
    .map(([minute, channel, value]) => at(minute, { channel, value })),
  fc.tuple(minutes, channels).map(([minute, channel]) => fault(minute, channel)),
);
const batches = fc.array(fc.array(fc.array(readings, { maxLength: 6 }), { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 8,
});

const keyOf = ({ channel, measuredAt }: Pick<Reading, 'channel' | 'measuredAt'>) =>
  `${channel} ${new Date(measuredAt).toISOString()}`;

const toSample = (each: Pick<Reading, 'channel' | 'measuredAt' | 'value' | 'error'>) =>
  `${keyOf(each)} ${each.value ?? `error ${each.error}`}`;

/** Adds the readings of a frame to the stored ones, and returns the counts of the frame. */
function countInto(stored: Map<string, Reading>, frameReadings: Reading[]) {
  const dropped = frameReadings.filter(({ measuredAt }) => measuredAt.getTime() > start + 1_440 * MINUTE_MS);
  const kept = frameReadings.filter((each) => !dropped.includes(each));
  let [accepted, conflicts] = [0, 0];
  for (const each of kept) {
    const known = stored.get(keyOf(each));
    if (!known) accepted++;
    else if (toSample(known) !== toSample(each)) conflicts++;
    if (!known) stored.set(keyOf(each), each);
  }
  const duplicates = kept.length - accepted - conflicts;
  return counts(accepted, duplicates, { conflicts, dropped: dropped.length });
}
