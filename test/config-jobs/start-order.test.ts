/** A job that was applied with a start counts from that start on, also beside jobs that were applied meanwhile. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import { signIn, visit } from '../operator/visitor.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  FRIDGE,
  HOT_WATER,
  jobOf,
  refuse,
  register,
} from '../support/fleet.ts';
import { type TestOrganization, useService } from '../support/service.ts';
import { useSteps } from '../support/steps.ts';

const JANUARY = new Date('2028-01-15T12:00:00Z');
const JULY = new Date('2028-07-15T12:00:00Z');

describe('A job that started after another one that was applied later', () => {
  const dms = useService({ now: () => now, withWorker: false });
  const steps = useSteps(dms, { now: () => now });
  let org: TestOrganization;
  let now: Date;

  beforeEach(async () => {
    now = new Date();
    org = await dms.addOrganization();
    for (const serial of ['A', 'B']) await register(org, serial);
    await createProfile(org, { ...HOT_WATER, slug: 'hot-water' });
    await createProfile(org, { ...FRIDGE, slug: 'fridge' });
  });

  const schedule = (slug: string) =>
    apply(org, slug, {
      serialNumbers: ['A', 'B'],
      startAt: new Date(Date.now() + DAY_MS).toISOString(),
    });
  const startNow = (jobId: string) => steps.startNow({ organizationId: org.id, jobId });
  const pending = async () => (await configOf(org, 'A')).pendingConfig;

  it('decides whose time zone the device follows', async () => {
    now = JANUARY;
    const scheduled = await schedule('hot-water');
    await apply(org, 'fridge', { serialNumbers: ['A'] });
    await applyAnswer(org, 'A');
    await startNow(scheduled);
    now = JULY;
    await steps.syncUtcOffsets();
    assert.equal((await pending()).calendars[0].timezone, 120);
  });

  it('is kept with its rules when old jobs are removed', async () => {
    const scheduled = await schedule('hot-water');
    const other = await apply(org, 'fridge', { serialNumbers: ['A'] });
    await applyAnswer(org, 'A');
    await startNow(scheduled);
    await applyAnswer(org, 'A');
    await applyAnswer(org, 'B');
    await steps.runJobs();
    const age = `update config_jobs set finished_at = now() - interval '400 days' where organization_id = ?`;
    await query(dms.service.sql, age, [org.id]);
    await steps.removeOldJobs(365);
    const status = async (jobId: string) => (await org.api.get(`/devices/config-jobs/${jobId}`)).status;
    assert.deepEqual([await status(scheduled), await status(other)], [200, 404]);
  });

  it('decides which channels the running rules monitor once the device shows its channels', async () => {
    const [alert] = FRIDGE.temperatureAlerts;
    await createProfile(org, { slug: 'ambient', temperatureAlerts: [{ ...alert, channel: 'ambient' }] });
    const scheduled = await schedule('ambient');
    await apply(org, 'fridge', { serialNumbers: ['A'] });
    await applyAnswer(org, 'A');
    await startNow(scheduled);
    await applyAnswer(org, 'A');
    const measuredAt = new Date().toISOString();
    const readings = ['temperature', 'humidity', 'temperature'].map((type, index) => ({
      channel: index + 1,
      type,
      value: 5,
      measuredAt,
    }));
    assert.equal((await org.device.post('/devices/A/measurements', { readings })).status, 202);
    assert.equal(await pending(), null);
  });

  it('supersedes targets of the other one that wait for their stage', async () => {
    const scheduled = await schedule('hot-water');
    const rollout = { firstPercent: 50 };
    const other = await apply(org, 'fridge', { serialNumbers: ['A', 'B'], rollout });
    await startNow(scheduled);
    assert.equal((await jobOf(org, other)).counts.superseded, 2);
  });

  it('offers people the profile of the other one when it is cancelled', async () => {
    const scheduled = await schedule('hot-water');
    await apply(org, 'fridge', { serialNumbers: ['A'] });
    await applyAnswer(org, 'A');
    await startNow(scheduled);
    await applyAnswer(org, 'A');
    await org.api.post(`/devices/config-jobs/${scheduled}/cancel`);
    const cookie = await signIn(dms, { organizationId: org.id });
    const { text } = await visit(`${dms.baseUrl}/operator/jobs/${scheduled}`, { cookie });
    assert.match(text, /Put the 1 back to Vaccine fridge…/);
  });

  it('shows people its refusal, as the last one', async () => {
    const scheduled = await schedule('hot-water');
    await apply(org, 'fridge', { serialNumbers: ['A'] });
    await refuse(org, 'A', { message: 'too cold' });
    await startNow(scheduled);
    await refuse(org, 'A', { message: 'too hot' });
    const cookie = await signIn(dms, { organizationId: org.id });
    assert.match((await visit(`${dms.baseUrl}/operator`, { cookie })).text, /Changes that failed.*too hot/s);
  });
});

describe('A job that begins after the clock of the database was ahead', () => {
  const dms = useService({ withWorker: false });

  it('counts as later than those of that time', async () => {
    await register(dms, 'A');
    const slug = await createProfile(dms, FRIDGE);
    const present = await apply(dms, slug, { serialNumbers: ['A'] });
    const [{ id: ahead }] = (await query<{ id: string }>(
      dms.service.sql,
      `insert into config_jobs
       select (jsonb_populate_record(j, jsonb_build_object('id', uuidv7(interval '1 hour')))).*
       from config_jobs j where j.organization_id = ? and j.id = ? returning id`,
      [dms.id, present],
    )) as [{ id: string }];
    const later = [
      await apply(dms, slug, { serialNumbers: ['A'] }),
      await apply(dms, slug, { serialNumbers: ['A'] }),
    ];
    assert.deepEqual([ahead, ...later].toSorted(), [ahead, ...later]);
  });
});
