/** The progress of a job: its stages, its expected end, and the latest devices. */
import assert from 'node:assert/strict';
import { type JobStatus, NO_COUNTS } from '../../src/config-jobs/config-job.ts';
import type { AwaitedTarget } from '../../src/config-jobs/config-targets.repository.ts';
import { LATEST_SHOWN, toProgress, whyAwaited } from '../../src/operator/job-progress.ts';
import { meaningOf } from '../../src/operator/states.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  FACTORY,
  FREEZER,
  FRIDGE,
  refuse,
  register,
  registerMany,
  sendTemperature,
} from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { hiddenIn, signIn, visit } from './visitor.ts';

const NOW = new Date('2026-03-02T12:00:00Z');
const inHours = (hours: number) => new Date(NOW.getTime() + hours * HOUR_MS);
const device = (assetId: string, hours: number | null, more: Partial<AwaitedTarget> = {}): AwaitedTarget => ({
  assetId,
  state: 'waiting',
  status: 'online',
  expectedBy: hours === null ? null : inHours(hours),
  lastContactAt: null,
  ...more,
});
const progressOf = (devices: AwaitedTarget[], deadlineAt = inHours(48)) =>
  toProgress(devices, { now: NOW, deadlineAt });

describe('The progress of a job', () => {
  it('expects the end with the last contact that is still to come, and never after the deadline', () => {
    const devices = [device('a', 2), device('b', 5), device('c', -1)];
    assert.deepEqual(progressOf(devices).expectedEnd, inHours(5));
    assert.deepEqual(progressOf(devices, inHours(3)).expectedEnd, inHours(3));
    assert.equal(progressOf(devices).lateCount, 1);
  });

  it('expects no end where no device is expected', () => {
    assert.equal(progressOf([device('a', -1), device('b', null)]).expectedEnd, null);
    assert.equal(progressOf([]).expectedEnd, null);
  });

  it('lists the latest devices first: the longest overdue, then those without a contact, then the last expected', () => {
    const devices = [
      device('soon', 1),
      device('never', null),
      device('late', -1),
      device('far', 9),
      device('later', -9),
    ];
    const latest = progressOf(devices).latest.map(({ assetId }) => assetId);
    assert.deepEqual(latest, ['later', 'late', 'never', 'far', 'soon']);
    assert.equal(progressOf(Array(50).fill(device('a', 1))).latest.length, LATEST_SHOWN);
  });

  it('explains in the words of its state why the job waits for a device', () => {
    const why = (awaited: AwaitedTarget) => whyAwaited(awaited, NOW);
    assert.match(why(device('a', null, { status: 'new' })), /never been in contact/);
    assert.match(why(device('a', -1)), /missed its contact/);
    assert.equal(why(device('a', 1)), meaningOf('waiting'));
    assert.ok(why(device('a', 1, { state: 'sent' })).startsWith(meaningOf('sent').slice(0, -1)));
  });
});

/** More devices than change at once in the other tests of the page. */
const LARGE = 7;

describe('The page of a job', () => {
  const dms = useService({ withWorker: false, settings: { largeJobDevices: LARGE - 1 } });
  let cookie: string;

  before(async () => {
    cookie = await signIn(dms);
  });

  const pageOf = (jobId: string) => visit(`${dms.baseUrl}/operator/jobs/${jobId}`, { cookie });
  /** As the worker ends a job. */
  const end = (jobId: string, status: JobStatus, applied: number) =>
    dms.service
      .sql('config_jobs')
      .where({ organization_id: dms.id, id: jobId })
      .update({ status, finished_at: new Date(), target_counts: { ...NO_COUNTS, applied } });

  it('shows the stage, the expected end, and the latest devices with the reason', async () => {
    const serials = await registerMany(dms, 4, 'STAGED');
    const slug = await createProfile(dms, { ...FRIDGE, intervals: { transmissionIntervalSeconds: 3_600 } });
    await apply(dms, slug, { serialNumbers: serials.slice(0, 1) });
    await applyAnswer(dms, serials[0] as string);
    await sendTemperature(dms, serials[0] as string, 5);
    const colder = await createProfile(dms, {
      name: 'Colder',
      temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 4 }],
    });
    const rollout = { firstPercent: 50, minAppliedPercent: 90, abortFailedPercent: 20 };
    const jobId = await apply(dms, colder, { serialNumbers: serials, rollout });
    const { status, text } = await pageOf(jobId);
    assert.equal(status, 200, text);
    assert.match(text, /1 of 2/);
    assert.match(text, /2 first, 2 after 90 % of them have applied it; ends if 20 % of them fail\./);
    assert.match(text, /<title>Job of Colder .*<h1>Colder .*href="\/operator\/profiles\/colder/s);
    const list = await visit(`${dms.baseUrl}/operator/jobs`, { cookie });
    assert.match(list.text, new RegExp(`jobs/${jobId}">Colder</a>`));
    assert.match(text, /Expected end.*?<time datetime="[^"]+">.*?but for 1 device/s);
    const latest = text.slice(text.indexOf('Devices that hold it up'));
    const why = `update config_jobs set reason = 'no device of the first stage has applied the change' where id = ?`;
    await dms.service.sql.raw(why, [jobId]);
    assert.match((await pageOf(jobId)).text, /Reason.*?no device of the first stage/s);
    assert.match(latest, /STAGED-0001.*never been in contact.*STAGED-0000.*next contact/s);
  });

  it('names devices and the person who began it, and begins with the devices that need somebody', async () => {
    await register(dms, 'NAMED-1', { name: 'Blood bank' });
    await register(dms, 'NAMED-2', { name: 'Kitchen' });
    const slug = await createProfile(dms, { ...FRIDGE, slug: 'named' });
    const url = `${dms.baseUrl}/operator/apply`;
    const form = { slug, serialNumbers: 'NAMED-1 NAMED-2' };
    const preview = await visit(url, { cookie, form });
    const { headers } = await visit(url, { cookie, form: { ...hiddenIn(preview.text), step: 'apply' } });
    const jobId = headers.get('location')?.match(/jobs\/([^?]+)/)?.[1] ?? '';
    await refuse(dms, 'NAMED-2');
    const { text } = await pageOf(jobId);
    assert.match(text, /by Ada, apply profile/);
    assert.match(text, /aria-current="page"[^>]*>failed 1<.*Kitchen<\/a> <code>NAMED-2/s);
    const targets = text.slice(text.indexOf('<h2>Devices</h2>'));
    assert.doesNotMatch(targets, /Blood bank/);
    const all = await visit(`${dms.baseUrl}/operator/jobs/${jobId}?state=all`, { cookie });
    assert.match(all.text.slice(all.text.indexOf('<h2>Devices</h2>')), /Blood bank/);
    assert.match(text, /<dt>Deadline<\/dt>/);
    await dms.api.post(`/devices/config-jobs/${jobId}/cancel`);
    assert.doesNotMatch((await pageOf(jobId)).text, /<dt>Deadline<\/dt>/);
  });

  it('says no longer that the job has begun, and shows fresh tabs, once it has ended', async () => {
    await register(dms, 'ENDED-1');
    const slug = await createProfile(dms, { ...FRIDGE, slug: 'ended' });
    const jobId = await apply(dms, slug, { serialNumbers: ['ENDED-1'] });
    const begun = await pageOf(`${jobId}?done=applyProfile`);
    assert.match(begun.text, /data-live="notice"><p class="notice" role="status">The job has begun/);
    assert.match(begun.text, /data-live="targets"><nav class="tabs".*waiting 1</s);
    await dms.api.post(`/devices/config-jobs/${jobId}/cancel`);
    const ended = await pageOf(`${jobId}?done=applyProfile`);
    assert.doesNotMatch(ended.text, /has begun/);
    assert.match((await pageOf(`${jobId}?done=cancelConfigJob`)).text, /The job was cancelled/);
  });

  it('shows that a large job is being withdrawn, and offers neither cancel nor retry until it has ended', async () => {
    const serialNumbers = await registerMany(dms, LARGE, 'LARGE');
    const slug = await createProfile(dms, { ...FREEZER, slug: 'withdrawn' });
    const jobId = await apply(dms, slug, { serialNumbers });
    assert.match((await pageOf(jobId)).text, /<div class="actions">.*Cancel the job/s);
    await dms.api.post(`/devices/config-jobs/${jobId}/cancel`);
    const { text } = await pageOf(jobId);
    assert.match(text, /<dt>Cancelled<\/dt><dd><time [^>]+>[^<]+<\/time>, the change is being withdrawn</);
    assert.doesNotMatch(text, /class="actions"/);
    await end(jobId, 'cancelled', 0);
    const ended = await pageOf(jobId);
    assert.match(ended.text, /<h1>[^<]+<span class="badge[^>]*>cancelled</);
    assert.doesNotMatch(ended.text, /being withdrawn/);
  });

  it('offers the earlier profile to the devices that a job has changed, however it ended, until a later change', async () => {
    const serials = await registerMany(dms, 3, 'UNDO');
    const before = await createProfile(dms, { ...FRIDGE, slug: 'before' });
    const wrong = await createProfile(dms, { ...FREEZER, slug: 'wrong' });
    await apply(dms, before, { serialNumbers: serials.slice(0, 2) });
    for (const serial of serials.slice(0, 2)) await applyAnswer(dms, serial);
    const jobId = await apply(dms, wrong, { serialNumbers: serials });
    await applyAnswer(dms, 'UNDO-0000');
    await applyAnswer(dms, 'UNDO-0002');
    const running = await pageOf(jobId);
    assert.match(running.text, /2 have taken it and stay on it/);
    assert.doesNotMatch(running.text, /name="undo"/);
    await dms.api.post(`/devices/config-jobs/${jobId}/cancel`);
    const { text } = await pageOf(jobId);
    assert.match(text, /They stay on <strong>Freezer<\/strong>.*Put the 1 back to Vaccine fridge…/s);
    assert.match(text, /none is known<\/span><\/td><td data-label="Devices">1</);
    const ended = dms.service.sql('config_jobs').where({ organization_id: dms.id, id: jobId });
    for (const status of ['aborted', 'completed_with_failures', 'succeeded'] as const) {
      await ended.clone().update({ status });
      const wayBack = /Put the 1 back to Vaccine fridge….*left out: they stay on this one/s;
      assert.match((await pageOf(jobId)).text, wayBack, status);
    }
    const form = { undo: jobId, slug: before };
    const preview = await visit(`${dms.baseUrl}/operator/apply`, { cookie, form });
    assert.match(preview.text, /name="serialNumbers" value="UNDO-0000"/);
    await apply(dms, before, { serialNumbers: ['UNDO-0000'] });
    assert.doesNotMatch((await pageOf(jobId)).text, /Put the/);
    await apply(dms, before, { serialNumbers: ['UNDO-0002'] });
    assert.match((await pageOf(jobId)).text, /Nothing to put back/);
    const stranger = await signIn(dms, { organizationId: (await dms.addOrganization()).id });
    const foreign = await visit(`${dms.baseUrl}/operator/apply`, { cookie: stranger, form });
    assert.doesNotMatch(foreign.text, /UNDO-/);
  });

  it('leads past an earlier apply of the same settings to the profile before it', async () => {
    const serial = 'AGAIN-1';
    await register(dms, serial);
    const before = await createProfile(dms, { ...FRIDGE, slug: 'before-again' });
    const slug = await createProfile(dms, { ...FREEZER, slug: 'again' });
    for (const each of [before, slug]) {
      await apply(dms, each, { serialNumbers: [serial] });
      await applyAnswer(dms, serial);
    }
    const jobId = await apply(dms, slug, { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    await end(jobId, 'succeeded', 1);
    assert.match((await pageOf(jobId)).text, /Put the 1 back to Vaccine fridge…/);
  });

  it('reads the devices that a large job has changed once for drawings that follow each other, or when asked', async () => {
    const serial = 'UNDO-LARGE';
    await register(dms, serial);
    const slug = await createProfile(dms, { ...FREEZER, slug: 'large' });
    const jobId = await apply(dms, slug, { serialNumbers: [serial] });
    await dms.api.post(`/devices/config-jobs/${jobId}/cancel`);
    let reads = 0;
    const count = ({ sql }: { sql: string }) => {
      if (sql.includes('earlier.profile_slug')) reads++;
    };
    dms.service.sql.on('query', count);
    await end(jobId, 'succeeded', 20_000);
    const { text } = await pageOf(jobId);
    assert.match(
      text,
      new RegExp(`/operator/jobs/${jobId}\\?changed=true">Devices that still run the change`),
    );
    assert.equal(reads, 0);
    assert.match((await pageOf(`${jobId}?changed=true`)).text, /Nothing to put back/);
    await end(jobId, 'cancelled', 20_001);
    for (let drawing = 0; drawing < 3; drawing++) await pageOf(jobId);
    dms.service.sql.off('query', count);
    assert.equal(reads, 2);
  });

  it('names the devices it is for: all, a group, its new members, or chosen ones', async () => {
    const own = await dms.addOrganization();
    const ownCookie = await signIn(dms, { organizationId: own.id });
    for (const serial of ['SCOPED-1', 'SCOPED-2']) await register(own, serial);
    const slug = await createProfile(own, { ...FRIDGE, slug: 'scoped' });
    const { body: group } = await own.api.post('/groups', { name: 'Freezers' });
    await own.api.post(`/groups/${group.id}/add-members`, { serialNumbers: ['SCOPED-1'] });
    const link = `<a href="/operator/groups/${group.id}">Freezers</a>`;
    const applyTo = async (body: Record<string, unknown>) =>
      (await own.api.put(`/devices/config-profiles/${slug}/apply`, body)).body.jobId;
    const began: [string, string, () => Promise<string>][] = [
      ['all devices', 'apply profile', () => applyTo({ applyToAll: true })],
      [link, 'apply profile', () => applyTo({ groupId: group.id })],
      ['2 chosen devices', 'apply profile', () => applyTo({ serialNumbers: ['SCOPED-1', 'SCOPED-2'] })],
      [
        link,
        'update group',
        async () => (await own.api.patch(`/groups/${group.id}`, { profileSlug: 'colder' })).body.jobId,
      ],
      [
        `new members of ${link}`,
        'add group members',
        async () =>
          (await own.api.post(`/groups/${group.id}/add-members`, { serialNumbers: ['SCOPED-2'] })).body.jobId,
      ],
    ];
    await createProfile(own, { ...FREEZER, slug: 'colder' });
    for (const [scope, action, begin] of began) {
      const jobId = await begin();
      const { text } = await visit(`${dms.baseUrl}/operator/jobs/${jobId}`, { cookie: ownCookie });
      assert.ok(text.includes(`<dt>For</dt><dd>${scope}</dd>`), `${scope}: ${text}`);
      assert.match(text, new RegExp(`by [^<,]+, ${action}<`));
    }
    const list = await visit(`${dms.baseUrl}/operator/jobs`, { cookie: ownCookie });
    assert.deepEqual(
      [...list.text.matchAll(/data-label="For">(.*?)<\/td>/g)].map(([, scope]) => scope).reverse(),
      began.map(([scope]) => scope),
    );
    await own.api.delete(`/groups/${group.id}`);
    const after = await visit(`${dms.baseUrl}/operator/jobs`, { cookie: ownCookie });
    assert.match(after.text, /data-label="For">new members of a deleted group</);
  });

  it('says of a device that it has had no profile', async () => {
    await register(dms, 'PLAIN-1');
    await dms.device.post('/devices/PLAIN-1/config-reports', FACTORY);
    const { text } = await visit(`${dms.baseUrl}/operator/fleet?q=PLAIN-1`, { cookie });
    assert.match(
      text,
      /data-label="Configuration"><span class="badge quiet" title="No profile is pending for the device, and it has never confirmed one\.">no profile</,
    );
  });

  it('leads from the fleet or a device to a profile: ticked devices, a preview, then the job', async () => {
    const [first = '', second = ''] = await registerMany(dms, 2, 'TICKED');
    const slug = await createProfile(dms, {
      name: 'Ticked',
      temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 9 }],
    });
    const fleet = await visit(`${dms.baseUrl}/operator/fleet?q=TICKED`, { cookie });
    assert.match(
      fleet.text,
      new RegExp(`<input type="checkbox" name="serialNumbers" value="${first}" form="apply-to-chosen"`),
    );
    const fields = [
      ['slug', slug],
      ['serialNumbers', first],
      ['serialNumbers', second],
      ['rollout.firstPercent', '50'],
      ['rollout.minAppliedPercent', '95'],
      ['rollout.abortFailedPercent', '3'],
    ] as [string, string][];
    const post = (more: [string, string][], without = 'none') =>
      visit(`${dms.baseUrl}/operator/apply`, {
        cookie,
        form: new URLSearchParams([...fields.filter(([name]) => !name.startsWith(without)), ...more]),
      });
    const { text: preview } = await post([]);
    const stages = /1 first, 1 after 95 % of them have applied it; ends if 3 % of them fail\./;
    assert.match(preview, stages);
    assert.match((await post([], 'rollout')).text, /All 2 devices at once\./);
    assert.match(preview, /name="rollout.minAppliedPercent" value="95"/);
    assert.equal(
      (await dms.api.get('/devices/config-jobs?limit=1')).body.items[0].profileSlug !== slug,
      true,
    );
    const begun = await post([...Object.entries(hiddenIn(preview)), ['step', 'apply']], '');
    const jobId = begun.headers.get('location')?.match(/jobs\/([^?]+)/)?.[1] ?? '';
    const { text } = await pageOf(jobId);
    assert.match(text, /1 of 2/);
    assert.match(text, stages);
  });
});
