/** Readings that were stored before, whatever the state of their device tells of them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { query } from '../../src/db/query.ts';
import { createMeasurementsRepository } from '../../src/measurements/measurements.repository.ts';
import type { Reading } from '../../src/measurements/reading.ts';
import { registerMany } from '../support/fleet.ts';
import {
  ago,
  assetId,
  beginWithLogger,
  dms,
  frame,
  history,
  intakeWith,
  MINUTE_MS,
  newLogger,
  newSerial,
  org,
  outcome,
  reading,
  send,
  serial,
  series,
} from './harness.ts';

/** Counts how often readings are stored: once per batch, and once more where a state was wrong. */
function countedIntake() {
  let tries = 0;
  const intake = intakeWith({
    measurementsIn(sql) {
      const repository = createMeasurementsRepository(sql);
      return {
        ...repository,
        store(sent, states) {
          tries++;
          return repository.store(sent, states);
        },
      };
    },
  });
  return {
    tries: () => tries,
    /** At once, so that they are one batch. */
    receive: (batch: Reading[][], of = batch.map(() => serial)) =>
      Promise.all(
        batch.map(async (readings, index) => {
          const result = await intake.receive(frame({ readings, serialNumber: of[index] as string }));
          assert.ok(result);
          const { accepted, duplicates, dropped } = result;
          return { accepted, duplicates, dropped };
        }),
      ),
  };
}

const counted = (accepted: number, duplicates: number, dropped = 0) => ({ accepted, duplicates, dropped });
const tell = (latestMeasuredAt: string | null) =>
  query(dms.service.sql, 'update device_states set latest_measured_at = ?::timestamptz where asset_id = ?', [
    latestMeasuredAt,
    assetId,
  ]);

const start = Date.now();
const at = (minute: number, more: Partial<Reading> = {}): Reading => ({
  channel: 1,
  type: 1,
  value: minute,
  error: null,
  measuredAt: new Date(start + minute * MINUTE_MS),
  ...more,
});
const fault = (minute: number, channel = 1) => at(minute, { channel, value: null, error: 8_388_557 });

describe('Measurements', () => {
  beginWithLogger();

  describe('stored before', () => {
    it('are duplicates also where nothing is known of their asset', async () => {
      const readings = series(3);
      assert.deepEqual(outcome(await send(readings)), { accepted: 3, duplicates: 0 });
      await tell(null);
      assert.deepEqual(outcome(await send(readings)), { accepted: 0, duplicates: 3 });
      await tell(null);
      const more = [...readings, reading({ measuredAt: ago(0) }), reading({ measuredAt: ago(9) })];
      assert.deepEqual(outcome(await send(more)), { accepted: 2, duplicates: 3 });
      assert.equal((await history()).items.length, 5);
    });

    it('are known at once where nothing but what the asset showed is known of it', async () => {
      const { receive, tries } = countedIntake();
      await receive([[at(-9), at(-1)]]);
      await tell(null);
      assert.deepEqual(await receive([[at(-9)]]), [counted(0, 1)]);
      assert.deepEqual(await receive([[at(-1)]]), [counted(0, 1)]);
      assert.equal(tries(), 3);
    });

    for (const [what, readings] of [
      ['sensor errors', [at(-3), fault(-2), fault(-1, 2)]],
      ['readings of a clock that runs ahead', [at(-1), at(60), at(61, { channel: 2 })]],
    ] as const) {
      it(`are known at once when they are ${what}`, async () => {
        const { receive, tries } = countedIntake();
        assert.deepEqual(await receive([[...readings]]), [counted(3, 0)]);
        assert.deepEqual(await receive([[...readings]]), [counted(0, 3)]);
        assert.equal((await history()).items.length, 3);
        assert.equal(tries(), 2);
      });
    }

    it('are told from others that are older than what is there', async () => {
      const { receive, tries } = countedIntake();
      await receive([[at(-1), at(-10), at(-30)]]);
      assert.deepEqual(
        await receive([[at(-40), at(-30), at(-20), at(-10, { channel: 2 }), at(-10), at(0)]]),
        [counted(4, 2)],
      );
      assert.equal((await history()).items.length, 7);
      assert.equal(tries(), 2);
    });

    it('spoil nothing where less is told of them than is there, neither their frame nor its neighbours', async () => {
      const fleet = await registerMany(org, 6, newSerial('NEIGHBOUR'));
      const { receive, tries } = countedIntake();
      await receive([[at(-3), at(-2), at(-1)]]);
      await tell(new Date(start - 60 * MINUTE_MS).toISOString());
      const neighbours = await receive(
        [...fleet.map(() => [at(-1)]), [at(-2), at(-1), at(0)], [at(0), at(1)]],
        [...fleet, serial, serial],
      );
      assert.deepEqual(neighbours, [...fleet.map(() => counted(1, 0)), counted(1, 2), counted(1, 1)]);
      assert.equal((await history()).items.length, 5);
      assert.equal(tries(), 3);
      assert.deepEqual(await receive([[at(0), at(1)]]), [counted(0, 2)]);
      assert.equal(tries(), 4);
    });

    it('are stored once and counted exactly, whatever is sent when', async function () {
      this.timeout(120_000);
      await fc.assert(
        fc.asyncProperty(batches, (all) => play(all)),
        { numRuns: 60 },
      );
    });

    it('are stored once and counted exactly, whatever is told of what is there', async function () {
      this.timeout(120_000);
      const told = fc.option(minutes, { nil: null });
      await fc.assert(
        fc.asyncProperty(batches, fc.infiniteStream(told), (all, tellings) => play(all, tellings)),
        { numRuns: 60 },
      );
    });
  });
});

/** Around now, ahead of the clock, long ago, and where no reading can be. */
const minutes = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -12, max: 4 }) },
  { weight: 2, arbitrary: fc.integer({ min: 60, max: 63 }) },
  fc.integer({ min: -40_002, max: -40_000 }),
  fc.constant(1_500),
);
const channels = fc.integer({ min: 1, max: 2 });
const readings = fc.oneof(
  fc.tuple(minutes, channels).map(([minute, channel]) => at(minute, { channel })),
  fc.tuple(minutes, channels).map(([minute, channel]) => fault(minute, channel)),
);
const batches = fc.array(fc.array(fc.array(readings, { maxLength: 6 }), { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 8,
});

const keyOf = ({ channel, measuredAt }: Pick<Reading, 'channel' | 'measuredAt'>) =>
  `${channel} ${new Date(measuredAt).toISOString()}`;

/** What a frame counts, beside the keys of all that is stored. */
function countInto(stored: Set<string>, frameReadings: Reading[]) {
  const dropped = frameReadings.filter(({ measuredAt }) => measuredAt.getTime() > start + 1_440 * MINUTE_MS);
  const kept = frameReadings.filter((each) => !dropped.includes(each));
  const before = stored.size;
  for (const each of kept) stored.add(keyOf(each));
  const accepted = stored.size - before;
  return counted(accepted, kept.length - accepted, dropped.length);
}

/** Batch by batch, each after the state was told something else where there are tellings. */
async function play(all: Reading[][][], tellings?: Iterator<number | null>): Promise<void> {
  await newLogger();
  const { receive, tries } = countedIntake();
  const stored = new Set<string>();
  for (const batch of all) {
    const told: number | null | undefined = tellings?.next().value;
    if (told !== undefined) await tell(told === null ? null : at(told).measuredAt.toISOString());
    const expected = batch.map((each) => countInto(stored, each));
    assert.deepEqual(await receive(batch), expected);
  }
  if (!tellings) assert.equal(tries(), all.length);
  const rows = await query<{ channel: number; measuredAt: Date }>(
    dms.service.sql,
    'select channel, measured_at as "measuredAt" from measurements where asset_id = ?',
    [assetId],
  );
  assert.deepEqual(rows.map(keyOf).toSorted(), [...stored].toSorted());
}
