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
  const dms = useService({ withWorker: false });
  let worker: RunningPart;
  before(() => createProfile(dms, FRIDGE));
  after(() => worker?.stop(1_000));

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
