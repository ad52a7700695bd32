/**
 * Two requests compete for the same device or job: the second one waits for the lock and sees the effect of
 * the first.
 */
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
import { whileDeviceLocked } from '../support/lock-waits.ts';
import { servers } from '../support/servers.ts';
import { useOrganization, useService } from '../support/service.ts';
import { CONCURRENT_PROFILES } from './profiles.ts';

describe('Competing requests', () => {
  const dms = useService({ withWorker: false });
  const fleet = useOrganization(dms);

  beforeEach(async () => {
    for (const slug of ['every-hour', 'every-day', 'ten-minutes'])
      await createProfile(fleet, { slug, ...CONCURRENT_PROFILES[slug] });
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

  it('withdraws the change of a cancelled retry, so that the failed target waits for nothing', async () => {
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

  it('keeps the targets of another job with the same change when a job is cancelled', async () => {
    const first = await apply(fleet, 'every-hour', { serialNumbers: ['A'] });
    const second = await apply(fleet, 'every-hour', { serialNumbers: ['A'] });
    const { body: before } = await poll('A');
    await cancel(first);
    assert.equal(await stateOf(second, 'A'), 'sent');
    const { body: offered } = await poll('A');
    assert.equal(offered.revision, before.revision);
  });

  it('keeps the queued change of a later job when a stage of an earlier job begins', async () => {
    const rollout = { firstPercent: 33, minAppliedPercent: 100, abortFailedPercent: 100 };
    const earlier = await apply(fleet, 'every-hour', { serialNumbers: ['A', 'B', 'C'], rollout });
    const later = await apply(fleet, 'every-day', {
      serialNumbers: ['B', 'C'],
      rollout: { ...rollout, firstPercent: 50 },
    });
    const worker = await dms.service.startWorker((await servers()).workflowBundle);
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
    await worker.stop(1_000);
  });

  /** Locks the device while the requests queue up for it one after the other; returns their answers. */
  async function whileLocked(serial: string, ...requests: Array<() => Promise<Answer>>): Promise<Answer[]> {
    const { assetId } = await configOf(fleet, serial);
    const { sql } = dms.service;
    const countWaiting = async () => {
      const { rows } = await sql.raw(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%device_configs%'`,
      );
      return rows[0].count;
    };
    const answers: Array<Promise<Answer>> = [];
    await whileDeviceLocked(sql, assetId, async () => {
      for (const send of requests) {
        answers.push(send());
        await eventually(countWaiting, (count) => count === answers.length);
      }
    });
    return Promise.all(answers);
  }

  it('ignores a report of the old hardware that waited while the hardware was replaced', async () => {
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

  it('leaves a target failed when the device refused while the cancel waited', async () => {
    const jobId = await apply(fleet, 'every-day', { serialNumbers: ['A', 'B'] });
    await poll('A');
    const [, cancelled] = await whileLocked(
      'A',
      () => report(fleet, 'A', { ...FACTORY, errors: [{ message: 'out of range' }] }),
      () => cancel(jobId),
    );
    assert.deepEqual([cancelled?.body.counts.failed, cancelled?.body.counts.cancelled], [1, 1]);
    const { syncStatus, pendingConfig } = await configOf(fleet, 'A');
    assert.deepEqual([pendingConfig, syncStatus], [null, 'applied']);
  });

  it('finds nothing to retry when the device confirmed while the retry waited', async () => {
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
