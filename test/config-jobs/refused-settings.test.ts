/** A change of other settings does not offer refused settings again. */
import assert from 'node:assert/strict';
import {
  apply,
  configOf,
  createProfile,
  FACTORY,
  jobOf,
  refuse,
  register,
  report,
} from '../support/fleet.ts';
import { useOrganization, useService } from '../support/service.ts';
import { openSteps } from '../support/steps.ts';

const DAILY = { transmissionInterval: 86_400 };
const TEN_MINUTES = { measurementPeriodBase: 600, measurementPeriodFactor: 1 };

describe('A refused setting', () => {
  const dms = useService({ withWorker: false });
  const fleet = useOrganization(dms);
  let refusedJob: string;

  beforeEach(async () => {
    await register(fleet, 'A');
    await createProfile(fleet, { slug: 'every-day', intervals: { transmissionIntervalSeconds: 86_400 } });
    await createProfile(fleet, { slug: 'ten-minutes', intervals: { measurementIntervalMinutes: 10 } });
    refusedJob = await applyTo('every-day');
    await refuse(fleet, 'A');
  });

  const applyTo = (slug: string) => apply(fleet, slug, { serialNumbers: ['A'] });
  const poll = () => fleet.device.get('/devices/A/pending-config');
  const statusNow = async () => (await configOf(fleet, 'A')).syncStatus;
  const stateOf = async (jobId: string) =>
    (await fleet.api.get(`/devices/config-jobs/${jobId}/targets`)).body.items[0].state;
  const retry = (jobId: string) => fleet.api.post(`/devices/config-jobs/${jobId}/retry`);

  it('keeps a setting refused when another job on the device is cancelled', async () => {
    const other = await applyTo('ten-minutes');
    assert.equal((await fleet.api.post(`/devices/config-jobs/${other}/cancel`)).status, 200);
    assert.equal((await poll()).status, 204);
    const { pendingConfig, syncStatus } = await configOf(fleet, 'A');
    assert.deepEqual([pendingConfig, syncStatus], [DAILY, 'failed']);
  });

  it('offers other settings meanwhile, and shows the device as failed again once they are confirmed', async () => {
    const other = await applyTo('ten-minutes');
    const { pendingConfig, syncStatus } = await configOf(fleet, 'A');
    assert.deepEqual([pendingConfig, syncStatus], [{ ...DAILY, ...TEN_MINUTES }, 'pending']);
    assert.deepEqual((await poll()).body.config, TEN_MINUTES);
    assert.equal(await statusNow(), 'sent');
    const { body } = await report(fleet, 'A', { ...FACTORY, ...TEN_MINUTES });
    assert.deepEqual(body, { syncStatus: 'failed', pendingConfig: null });
    assert.deepEqual([await stateOf(other), await stateOf(refusedJob)], ['applied', 'failed']);
    assert.deepEqual((await configOf(fleet, 'A')).pendingConfig, DAILY);
    assert.equal((await retry(refusedJob)).status, 201);
    assert.deepEqual((await poll()).body.config, DAILY);
  });

  it('leaves the device the profile that it has confirmed meanwhile, when it is withdrawn', async () => {
    await applyTo('ten-minutes');
    await poll();
    await report(fleet, 'A', { ...FACTORY, ...TEN_MINUTES });
    assert.equal((await fleet.api.post('/devices/A/config/withdraw')).body.syncStatus, 'applied');
    assert.equal((await fleet.api.get('/assets?hadProfile=true')).body.totalItems, 1);
  });

  it('fails a later change too, when the device refuses its settings as well', async () => {
    const other = await applyTo('ten-minutes');
    await refuse(fleet, 'A', { message: 'neither' });
    assert.equal(await stateOf(other), 'failed');
    assert.deepEqual([await statusNow(), (await poll()).status], ['failed', 204]);
  });

  it('offers a refused setting again after another apply of it, together with other pending settings', async () => {
    await applyTo('ten-minutes');
    await applyTo('every-day');
    assert.deepEqual((await poll()).body.config, { ...DAILY, ...TEN_MINUTES });
  });

  for (const chosen of [{ serialNumbers: ['A'] }, { applyToAll: true }]) {
    it(`shows in a preview of ${Object.keys(chosen)} that the refused settings change what the device runs`, async () => {
      const path = '/devices/config-profiles/every-day/apply?dryRun=true&omitApplied=true';
      const { body } = await fleet.api.put(path, chosen);
      const { transmissionInterval: from } = FACTORY;
      const settings = [{ setting: 'transmissionIntervalSeconds', from, to: 86_400 }];
      assert.equal(body.preview[0].unchangedCount, 0);
      assert.deepEqual(body.preview[0].changes, [{ deviceCount: 1, settings }]);
    });
  }

  it('confirms a refused setting by a report that shows it with all others', async () => {
    const other = await applyTo('ten-minutes');
    const { body } = await report(fleet, 'A', { ...FACTORY, ...DAILY, ...TEN_MINUTES });
    assert.deepEqual(body, { syncStatus: 'applied', pendingConfig: null });
    assert.deepEqual([await stateOf(other), await stateOf(refusedJob)], ['applied', 'failed']);
    assert.equal((await retry(refusedJob)).status, 409, 'the device has confirmed it since');
  });

  it('refuses nothing when the device repeats over HTTP an error from before it fetched another change', async () => {
    const errors = [{ message: 'out of range' }];
    const other = await applyTo('ten-minutes');
    await poll();
    await report(fleet, 'A', { ...FACTORY, ...TEN_MINUTES, errors });
    assert.equal(await stateOf(other), 'applied');
    await createProfile(fleet, { slug: 'hourly', intervals: { measurementIntervalMinutes: 60 } });
    const again = await applyTo('hourly');
    await poll();
    await report(fleet, 'A', { ...FACTORY, ...TEN_MINUTES, errors });
    assert.equal(await stateOf(again), 'sent');
    await report(fleet, 'A', { ...FACTORY, ...TEN_MINUTES, errors: [...errors, { code: 7, message: 'no' }] });
    const { items } = (await fleet.api.get(`/devices/config-jobs/${again}/targets`)).body;
    assert.deepEqual([items[0].state, items[0].reason], ['failed', 'the device refused: no (code 7)']);
  });

  it('gives a schedule the rules that the device runs, and not those that it refused', async () => {
    const high = { type: 'high', channel: 'probe', highC: 8 };
    const low = { type: 'low', channel: 'probe', lowC: 2 };
    const schedule = { always: false, days: ['monday'], from: '08:00', to: '18:00', timezone: 'UTC' };
    await createProfile(fleet, { slug: 'two-alerts', temperatureAlerts: [high, low] });
    await createProfile(fleet, { slug: 'one-alert', temperatureAlerts: [{ ...high, highC: 9 }] });
    await createProfile(fleet, { slug: 'mondays', schedule });
    await applyTo('two-alerts');
    const running = { ...FACTORY, ...(await poll()).body.config };
    await report(fleet, 'A', running);
    await applyTo('one-alert');
    await refuse(fleet, 'A', { running, code: 7, message: 'no' });
    await applyTo('mondays');
    const { config } = (await poll()).body;
    assert.deepEqual([config.alarmRules, config.calendars[0].enableRules], [undefined, [0, 1, 2, 3]]);
  });

  it('hands out no refused setting in answers to frames', async () => {
    const measuredAt = new Date().toISOString();
    const readings = [{ channel: 1, type: 'temperature', value: 5, measuredAt }];
    const send = () => fleet.device.post('/devices/A/measurements', { readings });
    assert.equal((await send()).body.pendingConfig, null);
    await applyTo('ten-minutes');
    for (let round = 0; round < 2; round++) {
      assert.deepEqual((await send()).body.pendingConfig.config, TEN_MINUTES);
    }
  });

  it('publishes no further refusal while nothing but refused settings is pending', async () => {
    const { body } = await fleet.api.post('/webhooks', {
      url: 'http://127.0.0.1:9/',
      events: ['config.failed'],
    });
    const other = await applyTo('ten-minutes');
    await fleet.api.post(`/devices/config-jobs/${other}/cancel`);
    await refuse(fleet, 'A');
    const { items } = (await fleet.api.get(`/webhooks/${body.id}/deliveries`)).body;
    assert.deepEqual(items, []);
  });

  it('ends the job of other settings as succeeded', async () => {
    const other = await applyTo('ten-minutes');
    await poll();
    await report(fleet, 'A', { ...FACTORY, ...TEN_MINUTES });
    const steps = openSteps(dms);
    await steps.runJobs().finally(steps.close);
    assert.equal((await jobOf(fleet, other)).status, 'succeeded');
  });
});
