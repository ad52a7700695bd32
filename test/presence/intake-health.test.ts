/** A process that is up but refuses everything stops its heartbeat, so that deadlines are paused. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { createIntakeHealth } from '../../src/presence/intake-health.ts';
import { invalid } from '../../src/process/errors.ts';
import { register } from '../support/fleet.ts';
import { startService } from '../support/service.ts';

describe('A process that receives from devices', () => {
  const failed = () => Promise.reject(new Error('cannot be stored'));

  it('stays healthy while nothing reaches it, and after any commit', async () => {
    const { isHealthy, observeContact } = createIntakeHealth();
    assert.equal(isHealthy(), true);
    assert.equal(await observeContact(Promise.resolve(7)), 7);
    assert.equal(isHealthy(), true);
  });

  it('stays healthy while some contacts fail and others are committed', async () => {
    const { isHealthy, observeContact } = createIntakeHealth();
    for (let round = 0; round < 10; round++) {
      for (let count = 0; count < 4; count++)
        await assert.rejects(observeContact(failed()), /cannot be stored/);
      await observeContact(Promise.resolve());
    }
    assert.equal(isHealthy(), true);
  });

  it('becomes unhealthy after five failures in a row, until something is committed', async () => {
    const { isHealthy, observeContact } = createIntakeHealth();
    for (let count = 0; count < 5; count++) await observeContact(failed()).catch(() => {});
    assert.equal(isHealthy(), false);
    await observeContact(Promise.resolve());
    assert.equal(isHealthy(), true);
  });

  it('stays healthy while a client repeats a message that is refused for what it contains', async () => {
    const { isHealthy, observeContact } = createIntakeHealth();
    for (let count = 0; count < 10; count++)
      await assert.rejects(observeContact(Promise.reject(invalid('is contradictory'))), /contradictory/);
    assert.equal(isHealthy(), true);
  });

  it('sends no heartbeat while it refuses every frame', async () => {
    const dms = await startService({ withWorker: false });
    await register(dms, 'A');
    const { sql } = dms.service;
    /**
     * Another port of the same process begins with a heartbeat, which has been sent when the port has
     * stopped.
     */
    const beat = async () => (await dms.service.startApi()).stop(1_000);
    // A defect of the schema that fails every frame, while the database answers everything else.
    await sql.raw('alter table measurement_blocks add constraint broken check (channel > 6) not valid');
    const readings = () => [
      { channel: 1, type: 'temperature', value: 5, measuredAt: new Date().toISOString() },
    ];
    for (let count = 0; count < 5; count++) {
      const { status } = await dms.device.post('/devices/A/measurements', { readings: readings() });
      assert.equal(status >= 500, true);
    }
    const heartbeats = () => query(sql, `select ingress, beat_at from ingress_heartbeats order by ingress`);
    const before = await heartbeats();
    assert.equal(before.length, 2);
    await beat();
    assert.deepEqual(await heartbeats(), before);
    await sql.raw('alter table measurement_blocks drop constraint broken');
    assert.equal((await dms.device.post('/devices/A/measurements', { readings: readings() })).status, 202);
    await beat();
    assert.notDeepEqual(await heartbeats(), before);
    await dms.stop();
  });
});
