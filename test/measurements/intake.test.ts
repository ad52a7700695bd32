/** From a frame to stored rows: in batches, and concurrently with other transactions. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import type { ReceivedFrame } from '../../src/measurements/frame.ts';
import { createMeasurementsRepository } from '../../src/measurements/measurements.repository.ts';
import { registerMany } from '../support/fleet.ts';
import { untilLockWaits } from '../support/lock-waits.ts';
import { ago, temperature } from './fixtures.ts';
import { useLogger } from './harness.ts';

describe('The intake', () => {
  const logger = useLogger();
  const { frame, history, intakeWith, newSerial } = logger;
  const monthly = (month: number, day = 15) =>
    temperature(0, { value: month, measuredAt: new Date(Date.UTC(2016, month, day)) });

  it('refuses a report that fails alone, and stores the frames that come with it', async () => {
    const [reporting = '', ...fleet] = await registerMany(logger.org, 5, newSerial('NEIGHBOUR'));
    const intake = intakeWith({
      exchanges: {
        async receive(_, contacting) {
          if (contacting.length > 0) throw new Error('a defect');
          return [];
        },
        store: async () => [],
      },
    });
    // The first two keep both batches busy, so that the rest gathers in one.
    const others = ['A', 'B'].map((serialNumber) => intake.receive(frame({ serialNumber })));
    const exchange = { organizationId: logger.org.id, serialNumber: reporting, canDeliverConfig: true };
    const refused = assert.rejects(() => intake.handle(exchange) as Promise<unknown>, /a defect/);
    const results = await Promise.all(fleet.map((serialNumber) => intake.receive(frame({ serialNumber }))));
    assert.deepEqual(
      results.map((result) => result?.accepted),
      fleet.map(() => 1),
    );
    await Promise.all([refused, ...others]);
  });

  it('keeps the results of concurrent batches in the state of a device', async () => {
    const measuredAt = new Date(ago(1));
    await Promise.all(
      [1, 2, 3, 4, 5, 6].map((channel) =>
        intakeWith().receive(frame({ readings: [temperature(0, { channel, measuredAt })] })),
      ),
    );
    const [row] = await query<{ newestReadingAt: object }>(
      logger.dms.service.sql,
      'select newest_reading_at as "newestReadingAt" from device_states where asset_id = ?',
      [logger.assetId],
    );
    const at = measuredAt.getTime();
    assert.deepEqual(row?.newestReadingAt, { 1: at, 2: at, 3: at, 4: at, 5: at, 6: at });
  });

  for (const [what, change] of [
    ['archived', 'archived_at = now()'],
    ['given new hardware', `serial_number = serial_number || '-B'`],
  ]) {
    it(`finds no device for a frame that waited for the lock while its asset was ${what}`, async () => {
      const { sql } = logger.dms.service;
      const trx = await sql.transaction();
      await query(trx, `update assets set ${change} where id = ?`, [logger.assetId]);
      await query(trx, 'update device_states set expected_by = null where asset_id = ?', [logger.assetId]);
      const result = intakeWith().receive(frame());
      await untilLockWaits(sql, 1);
      await trx.commit();
      assert.equal(await result, null);
    });
  }

  it('spreads large frames over batches of at most 20,000 readings', async () => {
    const sizes: number[] = [];
    const fleet = await registerMany(logger.org, 50, newSerial('LARGE'));
    const intake = intakeWith({
      measurementsIn: (sql) => ({
        ...createMeasurementsRepository(sql),
        store(changes, check) {
          sizes.push(changes.frames.reduce((total, { fresh }) => total + fresh.length, 0));
          return createMeasurementsRepository(sql).store(changes, check);
        },
      }),
    });
    const now = Date.now();
    const seconds = (first: number) =>
      Array.from({ length: 1_000 }, (_, index) =>
        temperature(0, { measuredAt: new Date(now - (first + index) * 1_000) }),
      );
    const results = await Promise.all(
      fleet.map((serialNumber, index) =>
        intake.receive(frame({ serialNumber, readings: seconds(index * 1_000) })),
      ),
    );
    assert.ok(results.every((result) => result?.accepted === 1_000));
    assert.ok(Math.max(...sizes) <= 20_000, `${Math.max(...sizes)} readings in one batch`);
  });

  it('passes only new readings on to alerts, and publishes once that a device came back online', async () => {
    await query(logger.dms.service.sql, `update device_states set status = 'offline' where asset_id = ?`, [
      logger.assetId,
    ]);
    const evaluated: ReceivedFrame[] = [];
    const online: string[] = [];
    const intake = intakeWith({
      evaluateAlerts: async (_, frames) => {
        evaluated.push(...frames);
        return [];
      },
      onlineEvents: async (_, devices) => {
        online.push(...devices.map(({ assetId }) => assetId));
        return [];
      },
    });
    const same = frame();
    await intake.receive(same);
    await intake.receive(same);
    assert.deepEqual(
      evaluated.map(({ fresh }) => fresh.length),
      [1, 0],
    );
    assert.deepEqual(online, [logger.assetId]);
  });

  it('stores nothing when the evaluation of alerts fails', async () => {
    const intake = intakeWith({ evaluateAlerts: () => Promise.reject(new Error('no')) });
    await assert.rejects(() => intake.receive(frame()) as Promise<unknown>, /no/);
    assert.deepEqual((await history()).items, []);
    assert.equal((await logger.asset()).status, 'new');
  });

  it('creates a partition again that another process has dropped', async () => {
    const intake = intakeWith();
    await intake.receive(frame({ readings: [monthly(4, 1)] }));
    await query(logger.dms.service.sql, 'drop table measurement_blocks_201605');
    assert.equal((await intake.receive(frame({ readings: [monthly(4, 2)] })))?.accepted, 1);
  });

  it('stores frames of processes that create the same partition concurrently', async () => {
    const fleet = await registerMany(logger.org, 10, newSerial('MONTH'));
    const results = await Promise.all(
      fleet.map((serialNumber) => intakeWith().receive(frame({ serialNumber, readings: [monthly(7)] }))),
    );
    assert.ok(results.every((result) => result?.accepted === 1));
  });
});
