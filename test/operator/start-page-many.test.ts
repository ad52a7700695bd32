/** The start page where there is more of everything than it lists. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { apply, createProfile, FRIDGE, register, registerMany } from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { signIn, visit } from './visitor.ts';

const MORE_THAN_LISTED = 12;

describe('The start page of a fleet with much to look at', () => {
  const dms = useService({ withWorker: false });
  let cookie: string;
  let serials: string[];
  let jobId: string;

  before(async () => {
    cookie = await signIn(dms);
    serials = await registerMany(dms, MORE_THAN_LISTED, 'MANY');
    const slug = await createProfile(dms, { ...FRIDGE, slug: 'fridge', name: 'Fridges of wards' });
    jobId = await apply(dms, slug, { serialNumbers: serials.slice(0, 1) });
  });

  const run = (statement: string, bindings: Record<string, unknown> = {}) =>
    query<{ id: string }>(dms.service.sql, statement, { organizationId: dms.id, jobId, ...bindings });
  async function section(title: string): Promise<string> {
    const { status, text } = await visit(`${dms.baseUrl}/operator`, { cookie });
    assert.equal(status, 200, text);
    const [, found = ''] = text.match(new RegExp(`<h2>${title}</h2>(.*?)(?:<h2>|</main>)`, 's')) ?? [];
    return found;
  }
  const countRows = (text: string) => text.split('<tr').length - 2;

  const openAlerts = (severity: string, prefix: string) =>
    run(
      `insert into alerts (organization_id, asset_id, serial_number, type, severity, details, started_at)
       select organization_id, id, serial_number, 'high_temp', :severity,
         '{"channel": 1, "rule": 0, "value": 19, "bounds": {"lowC": 2, "highC": 8, "hysteresisC": 0}}', now()
       from assets where organization_id = :organizationId and serial_number like :prefix || '%'`,
      { severity, prefix },
    );
  /** Jobs like the one that is there, and one device of each in the state. */
  const addJobs = (count: number, status: string, state: string) =>
    run(
      `with added as (
         insert into config_jobs (organization_id, profile_slug, profile_snapshot, stage_count, current_stage,
           target_count, deadline_at, status, finished_at, target_counts)
         select organization_id, profile_slug, profile_snapshot, stage_count, current_stage, target_count, deadline_at,
           :status, case when :status <> 'running' then now() end,
           case when :status <> 'running' then jsonb_build_object(:state::text, 1) end
         from config_jobs, generate_series(1, :count::integer)
         where organization_id = :organizationId and id = :jobId
         returning organization_id, id
       )
       insert into config_targets
       select (jsonb_populate_record(t, jsonb_build_object('job_id', added.id, 'state', :state::text, 'is_active', false,
           'reason', case when :state = 'failed' then 'out of range' end))).*
       from added join config_targets t on t.organization_id = added.organization_id and t.job_id = :jobId
       returning job_id as id`,
      { count, status, state },
    );

  it('lists critical alerts, then the oldest warnings, whatever number of newer ones of their type there is', async () => {
    await register(dms, 'SHED-1', { name: 'Seedlings' });
    await openAlerts('warning', 'SHED-');
    await register(dms, 'FREEZER-1', { name: 'Vaccines' });
    await openAlerts('critical', 'FREEZER-');
    await openAlerts('warning', 'MANY-');
    const text = await section('Alerts');
    assert.match(text, /<tbody>.*?Vaccines.*?Seedlings.*?MANY-/s);
    assert.equal(countRows(text), 10);
    assert.match(text, /All 14/);
  });

  it('leads to all devices with a failed change', async () => {
    await run(
      `update device_configs set sync_status = 'failed' where organization_id = :organizationId
         and asset_id in (select id from assets where organization_id = :organizationId and serial_number like 'MANY-%')`,
    );
    const text = await section('Changes that failed');
    assert.equal(countRows(text), 10);
    assert.match(text, /syncStatus=failed">All 12</);
  });

  it('lists running jobs with failures, whatever number of newer jobs has none, by the name of the profile', async () => {
    const [failing] = await addJobs(1, 'running', 'failed');
    await addJobs(MORE_THAN_LISTED, 'running', 'waiting');
    const text = await section('Jobs with failures');
    assert.equal(countRows(text), 1);
    assert.match(text, new RegExp(`jobs/${failing?.id}">Fridges of wards<`));
  });

  it('says how many running jobs with failures it leaves out', async () => {
    await addJobs(MORE_THAN_LISTED, 'running', 'failed');
    const text = await section('Jobs with failures');
    assert.equal(countRows(text), 10);
    assert.match(text, /3 more are among <a href="\/operator\/jobs\?status=running">/);
  });

  it('lists jobs that ended with failures or at their deadline, for a day or until they are retried', async () => {
    const [failed, late, old] = await addJobs(3, 'completed_with_failures', 'timed_out');
    await run(
      `update config_jobs set target_counts = '{"failed": 2, "timed_out": 1}'
      where organization_id = :organizationId and id = :id`,
      { id: failed?.id },
    );
    await run(
      `update config_jobs set finished_at = now() - interval '25 hours'
      where organization_id = :organizationId and id = :id`,
      { id: old?.id },
    );
    const text = await section('Jobs that ended with failures');
    assert.equal(countRows(text), 2);
    assert.match(text, new RegExp(`jobs/${failed?.id}">Fridges of wards<.*2 failed, 1 timed out`, 's'));
    assert.match(text, new RegExp(`jobs/${late?.id}">Fridges of wards<`));
    const [retry] = await addJobs(1, 'running', 'waiting');
    await run(
      `update config_jobs set retry_of_job_id = :id
      where organization_id = :organizationId and id = :retryId`,
      { id: late?.id, retryId: retry?.id },
    );
    assert.equal(countRows(await section('Jobs that ended with failures')), 1);
  });

  it('lists rollouts that ended themselves in the order of their creation, with the number of the others', async () => {
    const added = (await addJobs(MORE_THAN_LISTED, 'aborted', 'failed')) as Array<{ id: string }>;
    const text = await section('Rollouts that ended themselves');
    assert.equal(countRows(text), 10);
    const listed = [...text.matchAll(/<td[^>]*><a[^>]*href="\/operator\/jobs\/([0-9a-f-]{36})"/g)].map(
      ([, id]) => id,
    );
    assert.deepEqual(
      listed,
      added
        .map(({ id }) => id)
        .toSorted()
        .toReversed()
        .slice(0, 10),
    );
    assert.match(text, /2 more are among/);
  });
});
