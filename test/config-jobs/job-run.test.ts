/** The run of a job: its deadline, its description, the size of its history. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import type { RunningPart } from '../../src/process/shutdown.ts';
import { applyProfileId } from '../../src/temporal/workflow-ids.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  eventually,
  FRIDGE,
  inTurns,
  jobOf,
  registerMany,
  untilEnded,
} from '../support/fleet.ts';
import { detailsOf, runOf, untilSeen } from '../support/job-runs.ts';
import { servers } from '../support/servers.ts';
import { useService } from '../support/service.ts';

const FRIDGE_SLUG = 'vaccine-fridge';

/** 4,999 events for 300 devices, scaled to the devices of the test. */
const DEVICES = 60;
const EVENTS_MAX = 1_000;

describe('The run of a job', () => {
  const dms = useService({ withWorker: false, settings: { runCheckIntervalMs: 200 } });
  let worker: RunningPart;
  before(() => createProfile(dms, FRIDGE));
  after(() => worker?.stop(1_000));

  const retryOf = async (jobId: string): Promise<string> => {
    const { status, body, text } = await dms.api.post(`/devices/config-jobs/${jobId}/retry`);
    assert.equal(status, 201, text);
    return body.id;
  };
  /** Real deadlines are days away: shortens them, and replaces the run, which has already read the plan. */
  async function timeOut(...jobIds: string[]): Promise<void> {
    for (const jobId of jobIds) {
      await eventually(
        () =>
          runOf(dms, jobId)
            .terminate()
            .then(Boolean, () => false),
        (isGone) => isGone,
      );
      const expire = 'update config_jobs set deadline_at = now(), workflow_checked_at = null where id = ?';
      await query(dms.service.sql, expire, [jobId]);
    }
    for (const jobId of jobIds) assert.equal((await untilEnded(dms, jobId)).counts.timedOut, 1);
  }
  const cancel = async (jobId: string) =>
    assert.equal((await dms.api.post(`/devices/config-jobs/${jobId}/cancel`)).status, 200);
  const pendingOf = async (serial: string) => (await configOf(dms, serial)).pendingConfig;

  it('times out targets at the deadline, and still offers the change to their devices', async () => {
    const [quick, slow, fetched] = (await registerMany(dms, 3)) as [string, string, string];
    const jobId = await apply(dms, FRIDGE_SLUG, { serialNumbers: [quick, slow, fetched] });
    await applyAnswer(dms, quick);
    await dms.device.get(`/devices/${fetched}/pending-config`);
    // The deadlines have to be shortened before the worker of these tests starts and reads the plan.
    const soon = "update config_jobs set deadline_at = now() + interval '1 second' where id = ?";
    await query(dms.service.sql, soon, [jobId]);
    worker = await dms.service.startWorker((await servers()).workflowBundle);
    const job = await untilEnded(dms, jobId);
    assert.equal(job.status, 'completed_with_failures');
    assert.deepEqual([job.counts.applied, job.counts.timedOut], [1, 2]);
    assert.ok(Date.parse(job.finishedAt) >= Date.parse(job.deadlineAt));
    for (const serial of [slow, fetched]) {
      assert.equal((await configOf(dms, serial)).pendingConfig.alarmRules.length, 12);
      await applyAnswer(dms, serial);
    }
    assert.equal((await jobOf(dms, jobId)).counts.timedOut, 2);
  });

  it('retries timed-out targets, withdraws the change when the retry is cancelled, and can retry again', async () => {
    const [serial] = (await registerMany(dms, 1, 'RETRIED')) as [string];
    const first = await apply(dms, FRIDGE_SLUG, { serialNumbers: [serial] });
    await timeOut(first);
    await cancel(await retryOf(first));
    assert.equal(await pendingOf(serial), null);
    const again = await retryOf(first);
    await timeOut(again);
    assert.notEqual(await pendingOf(serial), null);
    await cancel(await retryOf(again));
    assert.equal(await pendingOf(serial), null);
  });

  it('keeps the timed-out change of another job when a retry is cancelled', async () => {
    const [serial] = (await registerMany(dms, 1, 'OTHER')) as [string];
    const other = await apply(dms, FRIDGE_SLUG, { serialNumbers: [serial] });
    const retried = await apply(dms, FRIDGE_SLUG, { serialNumbers: [serial] });
    await timeOut(other, retried);
    await cancel(await retryOf(retried));
    assert.notEqual(await pendingOf(serial), null);
  });

  describe('over many devices', () => {
    let jobId: string;
    let serials: string[];
    before(async () => {
      serials = await registerMany(dms, DEVICES, 'MANY');
      jobId = await apply(dms, FRIDGE_SLUG, { serialNumbers: serials });
    });

    it('describes in the Temporal UI which devices a running job waits for', async () => {
      await untilSeen(dms, jobId);
      for (const serial of serials.slice(0, 10)) await applyAnswer(dms, serial);
      const details = await eventually(
        () => detailsOf(dms, jobId),
        (text) => /applied: [1-9]/.test(text),
      );
      assert.match(details, /^\*\*Profile vaccine-fridge\*\* on 60 devices of .+: running$/m);
      assert.match(
        details,
        /^Waiting until 20\S+ \S+ UTC for \d+ devices? to fetch the change and for \d+ devices? to confirm it\.$/m,
      );
    });

    it('finds the run of a job in Temporal by its id and its organization', async () => {
      const { client } = dms.service.temporal;
      const found = await eventually(
        async () => {
          const ids = [];
          const filter = `JobId = '${jobId}' and OrganizationId = '${dms.id}'`;
          for await (const { workflowId } of client.workflow.list({ query: filter })) ids.push(workflowId);
          return ids;
        },
        (ids) => ids.length > 0,
      );
      assert.deepEqual(found, [applyProfileId(jobId)]);
    });

    it('needs few events for its devices, and ends with a summary', async () => {
      await inTurns(serials.slice(10), 16, (serial) => applyAnswer(dms, serial));
      const { status, counts } = await untilEnded(dms, jobId);
      assert.equal(status, 'succeeded');
      assert.equal(counts.applied, DEVICES);
      assert.equal(await runOf(dms, jobId).result(), `succeeded: ${DEVICES} applied`);
      const { historyLength, raw } = await runOf(dms, jobId).describe();
      assert.ok(historyLength < EVENTS_MAX, `${historyLength} events`);
      assert.equal(raw.workflowExecutionInfo?.firstRunId, raw.workflowExecutionInfo?.execution?.runId);
    });
  });
});
