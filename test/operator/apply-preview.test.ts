/** The preview of an apply: the change of each setting, for how many devices, in which stages. */
import assert from 'node:assert/strict';
import { apply, applyAnswer, createProfile, registerMany, sendTemperature } from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { hiddenIn, signIn, visit } from './visitor.ts';

describe('The preview of an apply', () => {
  const dms = useService({ withWorker: false });
  let cookie: string;
  let serials: string[];

  before(async () => {
    cookie = await signIn(dms);
    serials = await registerMany(dms, 12);
    const alert = (lowC: number, more = {}) => ({
      temperatureAlerts: [{ type: 'range', channel: 'probe', lowC, highC: 8, ...more }],
    });
    await createProfile(dms, { slug: 'two', ...alert(2) });
    await createProfile(dms, { slug: 'four', ...alert(4) });
    await createProfile(dms, { slug: 'late', ...alert(4, { severity: 'warning', delayMinutes: 30 }) });
    await createProfile(dms, { slug: 'often', intervals: { transmissionIntervalSeconds: 600 } });
    await apply(dms, 'two', { serialNumbers: serials.slice(0, 6) });
    await apply(dms, 'four', { serialNumbers: serials.slice(6, 10) });
    for (const serial of serials.slice(0, 3)) await applyAnswer(dms, serial);
  });

  /** Without tags and with single blanks. */
  async function preview(form: Record<string, string>): Promise<string> {
    const { status, text } = await visit(`${dms.baseUrl}/operator/apply`, { cookie, form });
    assert.equal(status, 200, text);
    return text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  }

  it('shows each change with its number of devices, and how many have it already', async () => {
    const text = await preview({ slug: 'four', applyToAll: 'true' });
    assert.match(text, /Devices 12 Would change 8 Have it already 4/);
    assert.match(text, /6 devices Low alert on probe \(channel 1\) 2 °C → becomes 4 °C 2 devices/);
    assert.match(
      text,
      /2 devices Low alert on probe \(channel 1\) not known → becomes 4 °C High alert on probe \(channel 1\) not known → becomes 8 °C/,
    );
    assert.match(text, /Apply to 12/);
  });

  it('shows changes that only the service keeps, and nothing else of the alert', async () => {
    const text = await preview({ slug: 'late', serialNumbers: serials.slice(6, 10).join(' ') });
    const change =
      /4 devices Delay of the alert on probe \(channel 1\) 0 min → becomes 30 min Severity on probe \(channel 1\) critical → becomes warning/;
    assert.match(text, change);
    assert.match(text, /Have it already 0/);
  });

  it('says stages in numbers, with start and deadline', async () => {
    const text = await preview({
      slug: 'four',
      applyToAll: 'true',
      'rollout.firstPercent': '25',
      'rollout.minAppliedPercent': '95',
      'rollout.abortFailedPercent': '3',
      deadlineMinutes: '120',
    });
    assert.match(text, /3 first, 9 after 95 % of them have applied it; ends if 3 % of them fail\./);
    assert.match(text, /Start at once Deadline 2 h after the start/);
    const without = await preview({ slug: 'four', applyToAll: 'true' });
    assert.match(without, /Deadline 48 h after the start/);
  });

  it('says that nothing changes where each device has the settings', async () => {
    const text = await preview({ slug: 'four', serialNumbers: serials.slice(6, 10).join(' ') });
    assert.match(text, /Nothing: each of these devices has the settings already/);
    assert.equal((await dms.api.get('/devices/config-jobs')).body.items.length, 2);
  });

  it('warns of devices that would be in breach at once, by their latest readings', async () => {
    for (const serial of serials.slice(0, 2)) await sendTemperature(dms, serial, 3);
    const text = await preview({ slug: 'four', applyToAll: 'true' });
    assert.match(text, /Warnings 2 of 2 devices would be in breach at once, by their latest readings/);
    assert.doesNotMatch(await preview({ slug: 'two', applyToAll: 'true' }), /in breach/);
    // Enforced as 3 °C.
    const rounded = [{ type: 'low', channel: 'probe', lowC: 3.04 }];
    await createProfile(dms, { slug: 'rounded', temperatureAlerts: rounded });
    assert.doesNotMatch(await preview({ slug: 'rounded', applyToAll: 'true' }), /in breach/);
    const { body: group } = await dms.api.post('/groups', { name: 'Cold ones' });
    await dms.api.post(`/groups/${group.id}/add-members`, { serialNumbers: serials.slice(1, 4) });
    const ofGroup = await preview({ slug: 'four', groupId: group.id });
    assert.match(ofGroup, /Profile four Group Cold ones Devices 3/);
    assert.match(
      ofGroup,
      /1 of 1 device would be in breach at once.* 2 other devices have no reading to compare\./,
    );
  });

  it('warns of no device whose value is on the bound but for a rounding error', async () => {
    const [serial = ''] = serials;
    await sendTemperature(dms, serial, 3 - 2 * Number.EPSILON);
    const exact = [{ type: 'low', channel: 'probe', lowC: 3 }];
    await createProfile(dms, { slug: 'exact', temperatureAlerts: exact });
    assert.doesNotMatch(await preview({ slug: 'exact', serialNumbers: serial }), /in breach/);
    const text = await preview({ slug: 'four', serialNumbers: serial });
    assert.match(text, /1 of 1 device would be in breach at once/);
  });

  it('says that devices with the settings are in the job as well', async () => {
    assert.match(
      await preview({ slug: 'four', applyToAll: 'true' }),
      /Apply to 12 .* 4 devices with these settings are in the job as well/,
    );
  });

  it('shows warnings with their number of devices, before the button', async () => {
    const text = await preview({ slug: 'often', applyToAll: 'true' });
    assert.match(text, /Transmits every 1 h → becomes 10 min/);
    await createProfile(dms, {
      slug: 'ambient',
      temperatureAlerts: [{ type: 'high', channel: 'ambient', highC: 30 }],
    });
    assert.match(
      await preview({ slug: 'ambient', applyToAll: 'true' }),
      /Warnings 12 devices : Alerts are written for channel 1.*Apply to 12/,
    );
  });

  it('refuses a start in the past before the button is offered, and keeps what was typed', async () => {
    const form = { slug: 'four', applyToAll: 'true', startAt: '2020-01-01T00:00' };
    const { status, text } = await visit(`${dms.baseUrl}/operator/apply`, { cookie, form });
    assert.equal(status, 400);
    assert.match(text, /id="startAt-fault">Start must be in the future/);
    assert.match(text, /value="2020-01-01T00:00"/);
  });

  it('counts the same devices with and without their list', async () => {
    const path = '/devices/config-profiles/four/apply?dryRun=true';
    const { body: listed } = await dms.api.put(path, { applyToAll: true });
    const { body: counted } = await dms.api.put(`${path}&omitApplied=true`, { applyToAll: true });
    assert.deepEqual([listed.applied.length, counted.applied], [12, []]);
    const byCount = ({ changes }: { changes: Array<{ deviceCount: number }> }) =>
      changes.map(({ deviceCount }) => deviceCount);
    assert.deepEqual([counted.appliedCount, counted.preview.map(byCount)], [12, listed.preview.map(byCount)]);
    assert.deepEqual(counted.preview, listed.preview);
  });

  it('applies in stages to all that match a filter of the fleet, and goes back to the form as it was typed', async () => {
    const url = `${dms.baseUrl}/operator/apply`;
    const form = {
      slug: 'often',
      filter: 'q=DEVICE-000',
      'rollout.firstPercent': '50',
      'rollout.minAppliedPercent': '80',
    };
    const { text } = await visit(url, { cookie, form });
    const stages = /5 first, 5 after 80 % of them have applied it; ends if 100 % of them fail/;
    assert.match(text, stages);
    assert.match(text, /Apply to 10</);
    const edited = await visit(url, { cookie, form: { ...hiddenIn(text), step: 'edit' } });
    assert.match(edited.text, /name="rollout\.firstPercent"[^>]* value="50"/);
    const begun = await visit(url, { cookie, form: { ...hiddenIn(text), step: 'apply' } });
    const job = await visit(dms.baseUrl + begun.headers.get('location'), { cookie });
    assert.match(job.text, stages);
  });

  it('keeps what was typed when a device is not known', async () => {
    const form = { slug: 'four', serialNumbers: `${serials[0]} NO-SUCH` };
    const { status, text } = await visit(`${dms.baseUrl}/operator/apply`, { cookie, form });
    assert.equal(status, 404);
    assert.match(text, /class="problem" role="alert"[^>]*>[^<]*NO-SUCH/);
    assert.match(text, /DEVICE-0000\nNO-SUCH<\/textarea>/);
  });

  it('begins one job, however often its button is pressed', async () => {
    const url = `${dms.baseUrl}/operator/apply`;
    const form = { slug: 'often', serialNumbers: serials[11] ?? '' };
    const { text } = await visit(url, { cookie, form });
    const press = () => visit(url, { cookie, form: { ...hiddenIn(text), step: 'apply' } });
    const [first, second] = await Promise.all([press(), press()]);
    assert.match(first.headers.get('location') ?? '', /\/jobs\/.+/);
    assert.equal(second.headers.get('location'), first.headers.get('location'));
  });

  it('is shown once more where the profile has changed since, before the job begins', async () => {
    const url = `${dms.baseUrl}/operator/apply`;
    const slug = await createProfile(dms, {
      slug: 'edited',
      intervals: { transmissionIntervalSeconds: 600 },
    });
    const { text } = await visit(url, { cookie, form: { slug, serialNumbers: serials[10] ?? '' } });
    await dms.api.put(`/devices/config-profiles/${slug}`, {
      intervals: { transmissionIntervalSeconds: 1200 },
    });
    const again = await visit(url, { cookie, form: { ...hiddenIn(text), step: 'apply' } });
    assert.match(again.text, /role="status">Somebody has changed the profile/);
    assert.match(again.text, /<strong>20 min<\/strong>.*Apply to 1</s);
    const begun = await visit(url, { cookie, form: { ...hiddenIn(again.text), step: 'apply' } });
    assert.match(begun.headers.get('location') ?? '', /\/jobs\/.+/);
    const { body } = await dms.api.get(`/devices/${serials[10]}/config`);
    assert.equal(body.pendingConfig.transmissionInterval, 1200);
  });
});
