/** Two requests that want the same device or job, one behind the other: one outcome, and the other sees it. */
import assert from 'node:assert/strict';
import type { Answer } from '../support/client.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  eventually,
  FACTORY,
  register,
  report,
  untilEnded,
} from '../support/fleet.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';
import { CROWD_PROFILES } from './profiles.ts';

describe('Where two meet', function () {
  this.timeout(30_000);
  let dms: TestService;
  let fleet: TestOrganization;

  before(async () => {
    dms = await startService();
  });
  after(() => dms.stop());

  beforeEach(async () => {
    fleet = await dms.addOrganization();
    for (const slug of ['every-hour', 'every-day', 'ten-minutes'])
      await createProfile(fleet, { slug, ...CROWD_PROFILES[slug] });
    for (const serial of ['A', 'B', 'C']) await register(fleet, serial);
  });

  const poll = (serial: string) => fleet.device.get(`/devices/${serial}/pending-config`);
  const refuse = async (serial: string) => {
    await poll(serial);
    await report(fleet, serial, { ...FACTORY, errors: [{ message: 'out of range' }] });
  };
  const cancel = (jobId: string) => fleet.api.post(`/devices/config-jobs/${jobId}/cancel`);
  const stateOf = async (jobId: string, serial: string) => {
    const { body } = await fleet.api.get(`/devices/config-jobs/${jobId}/targets`);
    return body.items.find((target: { serialNumber: string }) => target.serialNumber === serial).state;
  };

  it('a cancelled retry takes its change back: the target that had failed waits for nothing', async () => {
    const jobId = await apply(fleet, 'every-hour', { serialNumbers: ['A'] });
    await refuse('A');
    const { body: retried } = await fleet.api.post(`/devices/config-jobs/${jobId}/retry`);
    assert.equal((await cancel(retried.id)).status, 200);
    assert.equal((await configOf(fleet, 'A')).pendingConfig, null);
    assert.equal((await poll('A')).status, 204);
    await apply(fleet, 'ten-minutes', { serialNumbers: ['A'] });
    await applyAnswer(fleet, 'A');
    const again = await fleet.api.post(`/devices/config-jobs/${jobId}/retry`);
    assert.equal(again.status, 201, 'what the device has confirmed since was another change');
  });

  it('a cancelled job leaves another one that wants the same as it was: sent stays sent', async () => {
    const first = await apply(fleet, 'every-hour', { serialNumbers: ['A'] });
    const second = await apply(fleet, 'every-hour', { serialNumbers: ['A'] });
    const { body: before } = await poll('A');
    await cancel(first);
    assert.equal(await stateOf(second, 'A'), 'sent');
    const { body: offered } = await poll('A');
    assert.equal(offered.revision, before.revision);
  });

  it('a stage of an earlier job does not take over what a later job has queued', async () => {
    const rollout = { firstPercent: 33, minAppliedPercent: 100, abortFailedPercent: 100 };
    const earlier = await apply(fleet, 'every-hour', { serialNumbers: ['A', 'B', 'C'], rollout });
    const later = await apply(fleet, 'every-day', {
      serialNumbers: ['B', 'C'],
      rollout: { ...rollout, firstPercent: 50 },
    });
    await applyAnswer(fleet, 'A');
    await eventually(
      () => stateOf(earlier, 'C'),
      (state) => state === 'waiting',
    );
    assert.equal(await stateOf(later, 'C'), 'queued');
    await applyAnswer(fleet, 'B');
    await eventually(
      () => stateOf(later, 'C'),
      (state) => state === 'waiting',
    );
    assert.equal(await stateOf(earlier, 'C'), 'superseded');
    await applyAnswer(fleet, 'C');
    assert.equal((await configOf(fleet, 'C')).deviceConfig.transmissionInterval, 86_400);
    for (const jobId of [earlier, later]) assert.equal((await untilEnded(fleet, jobId)).status, 'succeeded');
  });

  /** Holds the device while the requests queue up for it, one after the other, and answers with what came of them. */
  async function whileLocked(serial: string, ...requests: Array<() => Promise<Answer>>): Promise<Answer[]> {
    const { assetId } = await configOf(fleet, serial);
    const { sql } = dms.service;
    const waiting = async () => {
      const { rows } = await sql.raw(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%device_configs%'`,
      );
      return rows[0].count;
    };
    const answers: Array<Promise<Answer>> = [];
    await sql.transaction(async (holder) => {
      await holder.raw('select 1 from device_configs where asset_id = ? for no key update', [assetId]);
      for (const send of requests) {
        answers.push(send());
        await eventually(waiting, (count) => count === answers.length);
      }
    });
    return Promise.all(answers);
  }

  it('a report of the old hardware that waits while it is replaced says nothing of the new one', async () => {
    await apply(fleet, 'every-day', { serialNumbers: ['A'] });
    await applyAnswer(fleet, 'A');
    const { assetId, deviceConfig } = await configOf(fleet, 'A');
    const [replaced, reported] = await whileLocked(
      'A',
      () => fleet.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber: 'NEW' }),
      () => report(fleet, 'A', deviceConfig),
    );
    assert.deepEqual([replaced?.status, reported?.status], [200, 404]);
    const { syncStatus, pendingConfig } = await configOf(fleet, 'NEW');
    assert.equal(syncStatus, 'pending');
    assert.equal(pendingConfig.transmissionInterval, 86_400);
  });

  it('a cancel that waits while the device refuses leaves what has failed as it is', async () => {
    const jobId = await apply(fleet, 'every-day', { serialNumbers: ['A', 'B'] });
    await poll('A');
    const [, cancelled] = await whileLocked(
      'A',
      () => report(fleet, 'A', { ...FACTORY, errors: [{ message: 'out of range' }] }),
      () => cancel(jobId),
    );
    assert.deepEqual([cancelled?.body.counts.failed, cancelled?.body.counts.cancelled], [1, 1]);
    const { syncStatus, pendingConfig } = await configOf(fleet, 'A');
    assert.equal(syncStatus, 'failed');
    assert.deepEqual(pendingConfig, { transmissionInterval: 86_400 });
  });

  it('a retry that waits while the device confirms finds nothing to retry', async () => {
    const jobId = await apply(fleet, 'every-day', { serialNumbers: ['A'] });
    await refuse('A');
    const [confirmed, retried] = await whileLocked(
      'A',
      () => report(fleet, 'A', { ...FACTORY, transmissionInterval: 86_400 }),
      () => fleet.api.post(`/devices/config-jobs/${jobId}/retry`),
    );
    assert.equal(confirmed?.body.syncStatus, 'applied');
    assert.equal(retried?.status, 409);
  });
});
