/** The workflow of a job on the real service: its start, its end, and its short history. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { createStarter } from '../../src/temporal/starter.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FRIDGE,
  jobOf,
  registerMany,
  untilEnded,
} from '../support/fleet.ts';
import { detailsOf, nameOf, runOf, untilIdle } from '../support/job-runs.ts';
import { startLimitedTemporal } from '../support/limited-temporal.ts';
import { servers } from '../support/servers.ts';
import { type TestService, useService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

const SLUG = 'vaccine-fridge';

describe('The workflow of a job', () => {
  const dms = useService();
  before(() => createProfile(dms, FRIDGE));

  it('runs once, however often it is started', async () => {
    const [serial] = (await registerMany(dms, 1, 'ONCE')) as [string];
    const jobId = await apply(dms, SLUG, { serialNumbers: [serial] });
    const runId = await eventually(
      () => runIdOf(dms, jobId),
      (id) => id !== null,
    );
    const { startJob } = starterOf(dms);
    await Promise.all([1, 2, 3].map(() => startJob({ organizationId: dms.id, jobId })));
    await applyAnswer(dms, serial);
    assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
    assert.equal(await runOf(dms, jobId).result(), 'succeeded: 1 applied');
    assert.equal(await runIdOf(dms, jobId), runId);
  });

  it('names profile, organization and the most overdue devices that it waits for', async () => {
    const serials = await registerMany(dms, 12, 'AWAITED');
    const jobId = await apply(dms, SLUG, { serialNumbers: serials });
    await query(
      dms.service.sql,
      `update device_states s set expected_by = timestamptz '2026-01-01' + interval '1 day' * right(a.serial_number, 2)::int
       from assets a where a.id = s.asset_id and a.serial_number like 'AWAITED-%'`,
    );
    await starterOf(dms).signalJob({ organizationId: dms.id, jobId }, []);
    const expected = serials.slice(0, 10).map((serial, day) => {
      const since = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
      return `- ${serial}: overdue since ${since} 00:00:00 UTC`;
    });
    await untilIdle(dms, jobId, new RegExp(`${expected.join('\n')}\n\nCancel of this run, .*\n\nAs of 20`));
    const { raw } = await runOf(dms, jobId).describe();
    const { data } = raw.executionConfig?.userMetadata?.summary ?? {};
    assert.match(Buffer.from(data ?? []).toString(), /^"Applies profile vaccine-fridge for test /);
  });

  it('changes nothing when it is started after the job has ended', async () => {
    const [serial] = (await registerMany(dms, 1, 'AFTER')) as [string];
    const jobId = await apply(dms, SLUG, { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    const ended = await untilEnded(dms, jobId);
    await runOf(dms, jobId).result();
    await starterOf(dms).startJob({ organizationId: dms.id, jobId });
    assert.equal(await runOf(dms, jobId).result(), 'succeeded: 1 applied');
    assert.deepEqual(await jobOf(dms, jobId), ended);
  });

  it('ends when the row of its job is gone', async () => {
    const [serial] = (await registerMany(dms, 1, 'GONE')) as [string];
    const jobId = await apply(dms, SLUG, { serialNumbers: [serial] });
    await untilIdle(dms, jobId, /Waiting until/);
    await query(dms.service.sql, 'delete from config_targets where job_id = ?', [jobId]);
    await query(dms.service.sql, 'delete from config_jobs where id = ?', [jobId]);
    await starterOf(dms).signalJob({ organizationId: dms.id, jobId }, []);
    assert.equal(await runOf(dms, jobId).result(), 'the job no longer exists');
  });
});

describe('The workflow of a job whose history grows long', () => {
  const temporal = useStarted(
    async () =>
      startLimitedTemporal((await servers()).cli, { 'limit.historyCount.suggestContinueAsNew': 10 }),
    ({ stop }) => stop(),
  );
  const dms = useService(() => ({
    settings: { temporalAddress: temporal.address, jobPollIntervalMs: 100 },
  }));
  before(() => createProfile(dms, FRIDGE));

  it('continues in new runs with short histories, and still counts every device at the end', async () => {
    const serials = await registerMany(dms, 3);
    const jobId = await apply(dms, SLUG, { serialNumbers: serials });
    const runs = new Set<string>();
    for (const serial of serials) {
      await eventually(
        () => runIdOf(dms, jobId),
        (runId) => runId !== null && !runs.has(runId) && runs.add(runId).size > 1,
      );
      await applyAnswer(dms, serial);
    }
    assert.equal((await untilEnded(dms, jobId)).counts.applied, 3);
    assert.equal(await runOf(dms, jobId).result(), 'succeeded: 3 applied');
    const { historyLength } = await runOf(dms, jobId).describe();
    assert.ok(historyLength < 50, `${historyLength} events`);
  });

  it('says in a later run, too, who began the job, and links its page', async () => {
    const serialNumbers = await registerMany(dms, 1, 'ABOUT');
    const jobId = await apply(dms, SLUG, { serialNumbers });
    const first = await eventually(
      () => runIdOf(dms, jobId),
      (runId) => runId !== null,
    );
    await eventually(
      () => runIdOf(dms, jobId),
      (runId) => runId !== first,
    );
    const about = new RegExp(`\n\nBegun by .+\n\n\\[Page\\]\\(\\S+/operator/jobs/${jobId}\\).+\n\nAs of 20`);
    await eventually(
      () => detailsOf(dms, jobId).catch(nameOf),
      (details) => about.test(details),
    );
  });
});

/** Null while there is none. */
const runIdOf = (dms: TestService, jobId: string): Promise<string | null> =>
  runOf(dms, jobId)
    .describe()
    .then(({ runId }) => runId)
    .catch(() => null);

function starterOf({ service, settings }: TestService) {
  return createStarter({
    client: service.temporal.client,
    taskQueue: settings.taskQueue,
    pollIntervalMs: settings.jobPollIntervalMs,
  });
}
