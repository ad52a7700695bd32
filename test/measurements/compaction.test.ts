/** Closed days become one row per channel, while readers and writers continue. */
import assert from 'node:assert/strict';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { isUnavailable } from '../../src/db/faults.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createCompactionRepository } from '../../src/measurements/compaction.repository.ts';
import type { CompactionDeps } from '../../src/measurements/compaction.service.ts';
import { countReadings } from '../../src/measurements/reading-block.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import { registerMany } from '../support/fleet.ts';
import { compactClosedDays } from './compact.ts';
import { SENSOR_FAULT, temperature } from './fixtures.ts';
import { countsOf, useLogger } from './harness.ts';
import { countBlocks, storedReadings } from './stored-readings.ts';

const DAY_MINUTES = 1_440;
/** Noon, three days ago. */
const noon = Date.now() - (Date.now() % 86_400_000) - 2.5 * 86_400_000;

function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe('Compaction', () => {
  const logger = useLogger();
  const { frame, history, intakeWith } = logger;
  const sql = () => logger.dms.service.sql;

  const compact = (more: Partial<CompactionDeps> = {}) => compactClosedDays(sql(), () => new Date(), more);

  /** Frames with one reading each, received at different times, on two channels. */
  async function sendDay(serialNumber = logger.serial, start = noon): Promise<void> {
    for (let minute = 0; minute < 12; minute++) {
      const readings = [1, 2].map((channel) => temperature(minute, { channel, value: minute / 10 }, start));
      const receivedAt = new Date(start + (minute + 1) * 60_000 + minute);
      await intakeWith().receive(frame({ serialNumber, readings, receivedAt }));
    }
  }

  it('makes one row of a closed day per channel, which reads exactly as before', async () => {
    await sendDay();
    const before = await history();
    assert.equal(await countBlocks(sql(), logger.assetId), 24);
    await compact();
    assert.equal(await countBlocks(sql(), logger.assetId), 2);
    assert.deepEqual(await history(), before);
  });

  it('reads as many whole days at a time as it may, and compacts all of them', async () => {
    for (const daysBefore of [3, 2, 1, 0]) await sendDay(logger.serial, noon - daysBefore * DAY_MS);
    const before = await history('?limit=100');
    const read: Array<{ readings: number; unreadBlocks: number }> = [];
    await compact({
      readingsMax: 48,
      compactionIn(handle) {
        const repository = createCompactionRepository(handle);
        return {
          ...repository,
          async listBlocks(...given) {
            const { blocks, unread } = await repository.listBlocks(...given);
            const readings = countReadings(blocks.map(({ block }) => block));
            read.push({ readings, unreadBlocks: unread.length });
            return { blocks, unread };
          },
        };
      },
    });
    assert.deepEqual(read, [
      { readings: 48, unreadBlocks: 1 },
      { readings: 48, unreadBlocks: 0 },
    ]);
    assert.equal(await countBlocks(sql(), logger.assetId), 8);
    assert.deepEqual(await history('?limit=100'), before);
  });

  it('leaves a day with too many readings as it was sent, reports it once, and compacts the next one', async () => {
    await sendDay(logger.serial, noon - DAY_MS);
    for (const minute of [1, 2]) await receiveAt(logger.serial, minute);
    const before = await history();
    const setAside: string[] = [];
    const compactAgain = () =>
      compact({
        readingsMax: 23,
        onSetAside: ({ assetId }, error) => setAside.push(`${assetId} ${(error as Error).message}`),
      });
    await compactAgain();
    await compactAgain();
    const day = new Date(noon - DAY_MS).toISOString().slice(0, 10);
    assert.deepEqual(setAside, [
      `${logger.assetId} The readings of ${day} are too many to be compacted: they stay as they were sent`,
    ]);
    assert.equal(await countBlocks(sql(), logger.assetId), 25);
    assert.deepEqual(await history(), before);
  });

  it('keeps the only frame of a day in the history, and knows its reading when it comes again', async () => {
    const lone = [temperature(0, { value: 4 }, noon)];
    await intakeWith().receive(frame({ readings: lone, receivedAt: new Date(noon + 1_000) }));
    const before = await history();
    assert.equal(before.items.length, 1);
    await compact();
    assert.deepEqual(await history(), before);
    const again = { channel: 1, type: 'temperature', value: 4, measuredAt: new Date(noon).toISOString() };
    assert.deepEqual(countsOf(await logger.send([again])), { accepted: 0, duplicates: 1 });
  });

  it('skips today and yesterday', async () => {
    for (const minute of [-2, -1]) await intakeWith().receive(frame({ readings: [temperature(minute)] }));
    await compact();
    assert.equal(await countBlocks(sql(), logger.assetId), 2);
  });

  it('keeps values of different kinds, errors, types and late readings separate or exact', async () => {
    const odd = [
      temperature(1, { value: 0.1 + 0.2 }, noon),
      temperature(2, { value: null, error: SENSOR_FAULT }, noon),
      temperature(3, { type: 2 }, noon),
    ];
    await sendDay();
    for (const each of odd) {
      await intakeWith().receive(frame({ readings: [{ ...each, channel: 3 }] }));
    }
    const before = await history();
    await compact();
    assert.deepEqual(await history(), before);
  });

  it('stores and shows readings of a compacted day, and compacts it again', async () => {
    await sendDay();
    await compact();
    const late = [temperature(3, {}, noon), temperature(3.5, {}, noon), temperature(4.5, {}, noon)];
    const result = await intakeWith().receive(frame({ readings: late }));
    assert.deepEqual([result?.accepted, result?.conflicts], [2, 1]);
    assert.equal((await history()).items.length, 26);
    await compact();
    assert.equal((await history()).items.length, 26);
    const again = await intakeWith().receive(frame({ readings: late }));
    assert.deepEqual([again?.duplicates, again?.conflicts], [2, 1]);
  });

  it('leaves a day unchanged when it is killed before the end, and compacts it the next time', async () => {
    await sendDay();
    const before = await history();
    const killedAfter = (step: 'removeDay' | 'insert') =>
      compact({
        compactionIn(handle: Database) {
          const repository = createCompactionRepository(handle);
          return {
            ...repository,
            async [step](given: never) {
              const result = await repository[step](given);
              await query(handle, 'select pg_terminate_backend(pg_backend_pid())');
              return result;
            },
          };
        },
      });
    for (const step of ['removeDay', 'insert'] as const) {
      await assert.rejects(killedAfter(step), isUnavailable);
      assert.equal(await countBlocks(sql(), logger.assetId), 24, step);
      assert.deepEqual(await history(), before, step);
    }
    await compact();
    assert.equal(await countBlocks(sql(), logger.assetId), 2);
  });

  it('skips a device that a frame has locked at that moment, and compacts the others', async () => {
    const [locked = '', other = ''] = await registerMany(logger.org, 2, logger.newSerial('PAIR'));
    for (const serial of [locked, other]) {
      for (const minute of [1, 2]) await receiveAt(serial, minute);
    }
    const [stored, mayFinish] = [createGate(), createGate()];
    const receiving = intakeWith({
      // Runs after the readings are stored, before the transaction ends.
      async publish() {
        stored.open();
        await mayFinish.opened;
      },
    }).receive(frame({ serialNumber: locked, readings: [temperature(3, {}, noon)] }));
    await stored.opened;
    await compact();
    assert.deepEqual([await countOf(locked), await countOf(other)], [2, 1]);
    mayFinish.open();
    assert.equal((await receiving)?.accepted, 1);
    assert.equal(await countOf(locked), 3);
    await compact();
    assert.equal(await countOf(locked), 1);
  });

  it('compacts each day once in two concurrent processes, and loses and doubles nothing', async () => {
    const fleet = await registerMany(logger.org, 30, logger.newSerial('TWO'));
    for (const serial of fleet) for (const minute of [1, 2, 3]) await receiveAt(serial, minute);
    const other = openDatabase({
      url: logger.dms.settings.databaseUrl,
      poolSize: 3,
      statementTimeoutMs: 0,
      applicationName: 'other process',
    });
    const isDue = async () => {
      const [row] = await query<{ due: boolean }>(
        sql(),
        `select exists (select from device_states where uncompacted_from < now() - interval '2 days') as due`,
      );
      return row?.due;
    };
    do {
      const processes = [createTransact(sql()), createTransact(other)];
      await Promise.all(processes.map((transact) => compact({ transact })));
    } while (await isDue());
    await other.destroy();
    for (const serial of fleet) {
      assert.deepEqual(
        (await storedReadings(sql(), await assetIdOf(serial))).map(({ value }) => value),
        [1, 2, 3],
      );
      assert.equal(await countOf(serial), 1);
    }
  });

  const receiveAt = (serialNumber: string, minute: number) =>
    intakeWith().receive(frame({ serialNumber, readings: [temperature(minute, {}, noon)] }));
  async function assetIdOf(serialNumber: string): Promise<string> {
    const [row] = await query<{ id: string }>(
      sql(),
      'select id from assets where organization_id = ? and serial_number = ?',
      [logger.org.id, serialNumber],
    );
    return row?.id ?? '';
  }
  const countOf = async (serialNumber: string) => countBlocks(sql(), await assetIdOf(serialNumber));

  it('runs in one process at a time', async () => {
    await sendDay();
    const trx = await sql().transaction();
    assert.ok(await createCompactionRepository(trx).lockCompaction());
    await compact();
    assert.equal(await countBlocks(sql(), logger.assetId), 24);
    await trx.commit();
    await compact();
    assert.equal(await countBlocks(sql(), logger.assetId), 2);
  });

  it('continues with other devices when one fails and one takes too long, and leaves locked ones for later', async () => {
    const fleet = await registerMany(logger.org, 30, logger.newSerial('FLEET'));
    for (const serial of fleet) await sendDayOf(serial);
    const left = () =>
      query<{ assetId: string }>(
        sql(),
        `select asset_id as "assetId" from device_states where uncompacted_from < now() - interval '2 days'
         order by asset_id`,
      );
    const due = await left();
    const faults = new Map([
      [due[7]?.assetId, new Error('no')],
      [due[19]?.assetId, Object.assign(new Error('too slow'), { code: '57014' })],
    ]);
    const setAside: string[] = [];
    await compact({
      compactionIn(handle) {
        const repository = createCompactionRepository(handle);
        return {
          ...repository,
          async listBlocks(windows, readingsMax) {
            for (const { assetId } of windows) if (faults.has(assetId)) throw faults.get(assetId);
            return repository.listBlocks(windows, readingsMax);
          },
        };
      },
      onSetAside: ({ assetId }) => setAside.push(assetId),
    });
    assert.deepEqual(setAside, [...faults.keys()]);
    assert.deepEqual(await left(), [due[7], due[19]]);
    const locked = await sql().transaction();
    await query(locked, 'select from device_states where uncompacted_from is not null for update');
    await compact();
    await locked.commit();
    await compact();
    assert.deepEqual(await left(), []);
  });

  const sendDayOf = (serialNumber: string) =>
    intakeWith().receive(
      frame({ serialNumber, readings: [temperature(1, {}, noon), temperature(2, {}, noon)] }),
    );

  it('costs nothing for a device that has sent nothing since', async () => {
    await sendDay();
    await compact();
    const [row] = await query<{ from: Date | null }>(
      sql(),
      'select uncompacted_from as "from" from device_states where asset_id = ?',
      [logger.assetId],
    );
    assert.equal(row?.from, null);
  });

  it('compacts a day again after a frame over HTTP that came days late', async () => {
    const now = Date.now();
    const at = (minute: number) => ({
      channel: 1,
      type: 'temperature',
      value: 1,
      measuredAt: new Date(now - (4 * DAY_MINUTES + minute) * 60_000).toISOString(),
    });
    for (const minute of [0, 5]) assert.equal(countsOf(await logger.send([at(minute)])).accepted, 1);
    await compact();
    assert.ok((await countBlocks(sql(), logger.assetId)) <= 2);
    assert.equal(countsOf(await logger.send([at(5), at(3)])).duplicates, 1);
    assert.equal((await history()).items.length, 3);
  });
});
