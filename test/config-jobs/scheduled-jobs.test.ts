/** Jobs that start later. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import { TARGETS_CHANGED_SIGNAL } from '../../src/temporal/workflow-ids.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  eventually,
  FREEZER,
  FRIDGE,
  jobOf,
  registerMany,
  untilEnded,
} from '../support/fleet.ts';
import { runOf, untilIdle } from '../support/job-runs.ts';
import { useOrganization, useService } from '../support/service.ts';

const CHUNK_SIZE = 2;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const SHOWS_START = /The change is offered from/;

describe('A scheduled job', () => {
  const dms = useService({
    // The clock of this process, which times of the service are compared with.
    now: () => new Date(),
    settings: {
      applyChunkSize: CHUNK_SIZE,
      largeJobDevices: 4 * CHUNK_SIZE,
      jobPollIntervalMs: 300,
      runCheckIntervalMs: 200,
    },
  });
  const fleet = useOrganization(dms);
  let serials: string[];

  beforeEach(async () => {
    for (const profile of [FRIDGE, FREEZER]) await createProfile(fleet, profile);
    serials = await registerMany(fleet, 3);
  });

  const schedule = (body: object = { serialNumbers: serials }, startAt = inMs(DAY_MS)) =>
    apply(fleet, 'vaccine-fridge', { ...body, startAt });
  const setStart = (jobId: string, inSeconds: number) =>
    query(
      dms.service.sql,
      'update config_jobs set start_at = now() + make_interval(secs => ?) where organization_id = ? and id = ?',
      [inSeconds, fleet.id, jobId],
    );
  /** A start is changed when everything before it has been seen, so no test races with it. */
  async function startInASecond(jobId: string): Promise<void> {
    await untilIdle(dms, jobId, SHOWS_START);
    await setStart(jobId, 1);
    await runOf(dms, jobId).signal(TARGETS_CHANGED_SIGNAL, []);
  }
  const untilStarted = (jobId: string) =>
    eventually(
      () => jobOf(fleet, jobId),
      ({ counts, total }) => counts.waiting === total,
    );
  const pendingOf = async (serial: string) => (await configOf(fleet, serial)).pendingConfig;

  it('queues its targets and offers nothing until its start, and counts the deadline from there', async () => {
    const startAt = inMs(DAY_MS);
    const jobId = await schedule({ serialNumbers: serials, deadlineMinutes: 10 }, startAt);
    const job = await jobOf(fleet, jobId);
    assert.deepEqual([job.status, job.counts.queued, job.startAt], ['scheduled', 3, startAt]);
    assert.equal(Date.parse(job.deadlineAt) - Date.parse(startAt), 600_000);
    assert.equal(await pendingOf(serials[0] as string), null);
    await startInASecond(jobId);
    const started = await untilStarted(jobId);
    assert.ok(Date.now() >= Date.parse(started.startAt));
    for (const serial of serials) await applyAnswer(fleet, serial);
    assert.equal((await untilEnded(fleet, jobId)).status, 'succeeded');
  });

  it('lists scheduled jobs by their status, and ends one at once when it is cancelled', async () => {
    const jobId = await schedule();
    await untilIdle(dms, jobId, SHOWS_START);
    const found = (await fleet.api.get('/devices/config-jobs?status=scheduled')).body.items;
    assert.deepEqual(
      found.map(({ id }: { id: string }) => id),
      [jobId],
    );
    const { status, body } = await fleet.api.post(`/devices/config-jobs/${jobId}/cancel`);
    assert.deepEqual([status, body.status, body.counts.cancelled], [200, 'cancelled', 3]);
    assert.equal(await runOf(dms, jobId).result(), 'cancelled: 3 cancelled');
    assert.equal((await fleet.api.post(`/devices/config-jobs/${jobId}/cancel`)).status, 409);
  });

  it('keeps its targets when another profile is applied before its start, and overwrites its settings then', async () => {
    const jobId = await schedule();
    const other = await apply(fleet, 'freezer', { serialNumbers: serials });
    assert.equal((await jobOf(fleet, jobId)).counts.queued, 3);
    await startInASecond(jobId);
    assert.equal((await untilEnded(fleet, other)).counts.superseded, 3);
    assert.equal((await jobOf(fleet, jobId)).counts.waiting, 3);
  });

  it('starts for all devices in chunks, those of the first stage first, without archived ones', async () => {
    await registerMany(fleet, 4 * CHUNK_SIZE, 'MORE');
    const { assetId } = await configOf(fleet, serials[0] as string);
    const rollout = { firstPercent: 30, minAppliedPercent: 100, abortFailedPercent: 100 };
    const jobId = await schedule({ applyToAll: true, rollout });
    await fleet.api.delete(`/assets/${assetId}`);
    await startInASecond(jobId);
    const { counts } = await eventually(
      () => jobOf(fleet, jobId),
      (job) => job.counts.waiting === 3 && job.counts.cancelled > 0,
    );
    assert.deepEqual([counts.waiting, counts.cancelled, counts.queued], [3, 1, 7]);
  });

  it('starts when it is due although its run was lost', async () => {
    const jobId = await schedule();
    await untilIdle(dms, jobId, SHOWS_START);
    await runOf(dms, jobId).terminate();
    await setStart(jobId, 0);
    await untilStarted(jobId);
  });

  it('starts when it is due although a slow clock made its run wait for longer', async () => {
    const jobId = await schedule();
    await untilIdle(dms, jobId, SHOWS_START);
    await setStart(jobId, 0);
    await untilStarted(jobId);
  });

  it('refuses a start in the past, or more than 30 days ahead', async () => {
    for (const startAt of [inMs(-60_000), inMs(31 * DAY_MS), 'tomorrow']) {
      const body = { serialNumbers: serials, startAt };
      const answer = await fleet.api.put('/devices/config-profiles/vaccine-fridge/apply', body);
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.body.message, /startAt/);
    }
  });
});
