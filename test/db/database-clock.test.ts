import assert from 'node:assert/strict';
import { type Database, openDatabase, type Sql } from '../../src/db/database.ts';
import { createDatabaseClock } from '../../src/db/database-clock.ts';
import { isOutage, isUnavailable } from '../../src/db/faults.ts';
import { query } from '../../src/db/query.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import { newDatabase } from '../support/servers.ts';

const anHourAhead = () => new Date(Date.now() + HOUR_MS);
const monotonicMs = () => performance.now();

describe('The clock of the database', () => {
  let sql: Database;

  before(async () => {
    sql = openDatabase({
      url: await newDatabase(),
      poolSize: 1,
      statementTimeoutMs: 0,
      applicationName: 'test',
    });
  });
  after(() => sql.destroy());

  const databaseNow = async () =>
    (await query<{ at: Date }>(sql, 'select clock_timestamp() as at'))[0]?.at as Date;

  it('tells the time of the database, whatever the clock of the process says', async () => {
    const clock = createDatabaseClock({ sql, processNow: anHourAhead, monotonicMs });
    await clock.synchronize();
    const before = await databaseNow();
    const read = clock.now();
    const after = await databaseNow();
    // As exact as the shortest round trip; JavaScript times have no fractions of milliseconds.
    assert.ok(read.getTime() >= before.getTime() - 1_000 && read.getTime() <= after.getTime() + 1_000);
    assert.ok(Math.abs((clock.processAheadMs() as number) - HOUR_MS) < 10_000);
  });

  it('tells no time until the database has answered, as if the database were away', () => {
    const clock = createDatabaseClock({ sql, processNow: anHourAhead, monotonicMs });
    assert.throws(clock.now, isOutage);
    assert.throws(clock.now, isUnavailable);
    assert.equal(clock.processAheadMs(), null);
  });

  it('continues evenly when the clock of the process is set', async () => {
    let processMs = 0;
    let elapsedMs = 0;
    const clock = createDatabaseClock({
      sql,
      processNow: () => new Date(processMs),
      monotonicMs: () => elapsedMs,
    });
    await clock.synchronize();
    const before = clock.now().getTime();
    processMs = HOUR_MS;
    elapsedMs = 250;
    assert.equal(clock.now().getTime() - before, 250);
  });

  it('reads the clock by the shortest of several round trips', async () => {
    let elapsedMs = 0;
    const roundTripsMs = [400, 300, 10, 300, 400];
    const slow: Sql = {
      raw: (() => {
        const roundTripMs = roundTripsMs.shift() as number;
        // The database reads its clock, which also began at zero, at the beginning of each round trip.
        const rows = [{ ms: elapsedMs }];
        elapsedMs += roundTripMs;
        return Promise.resolve({ rows });
      }) as unknown as Sql['raw'],
    };
    const clock = createDatabaseClock({ sql: slow, processNow: anHourAhead, monotonicMs: () => elapsedMs });
    await clock.synchronize();
    assert.equal(clock.now().getTime(), elapsedMs - 5);
  });

  it('keeps the known time when the database does not answer', async () => {
    let elapsedMs = 0;
    let isAway = false;
    const failing: Sql = {
      raw: (() =>
        isAway
          ? Promise.reject(new Error('away'))
          : Promise.resolve({ rows: [{ ms: 0 }] })) as unknown as Sql['raw'],
    };
    const clock = createDatabaseClock({
      sql: failing,
      processNow: anHourAhead,
      monotonicMs: () => elapsedMs,
    });
    await clock.synchronize();
    isAway = true;
    elapsedMs = 250;
    await assert.rejects(clock.synchronize(), /away/);
    assert.equal(clock.now().getTime(), 250);
  });
});
