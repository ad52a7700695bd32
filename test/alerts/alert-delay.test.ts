/** Alerts with a delay and a severity, from the profile to the list of alerts. */
import assert from 'node:assert/strict';
import { applyAnswer, configOf, FACTORY, report } from '../support/fleet.ts';
import { useDevice } from './harness.ts';

const LASTING = {
  name: 'Cold room with a door',
  temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 8, delayMinutes: 5, severity: 'warning' }],
  schedule: { always: true },
  intervals: { measurementIntervalMinutes: 1 },
};

describe('An alert with a delay', () => {
  const device = useDevice();
  const { applyProfile, confirmProfile, measure, onlyAlert, send, reading, statuses } = device;
  const openAlerts = async () => (await device.org.api.get(`/assets/${device.assetId}`)).body.openAlerts;

  it('opens when the breach has lasted the delay, and begins with its first reading', async () => {
    await confirmProfile(LASTING);
    const webhook = await device.subscribe(['alert.created', 'alert.resolved', 'data.measurement.alert']);
    await measure(0, 9, 10, 11, 12, 13);
    assert.deepEqual([await statuses(), await openAlerts()], [[], 0]);
    await measure(5, 14, 5);
    const alert = await onlyAlert();
    assert.deepEqual(
      { ...alert, id: '', updatedAt: '' },
      {
        ...alert,
        id: '',
        updatedAt: '',
        type: 'high_temp',
        severity: 'warning',
        status: 'resolved',
        timestamp: device.at(0),
        details: { channel: 1, value: 9, bounds: { lowC: null, highC: 8, hysteresisC: 0 } },
      },
    );
    const [breach, ...events] = await device.published(webhook);
    assert.deepEqual([breach.type, breach.data.alertId], ['data.measurement.alert', alert.id]);
    assert.deepEqual(
      events.map(({ type, timestamp, data }) => [type, timestamp, data.timestamp, data.severity]),
      [
        ['alert.created', device.at(5), device.at(0), 'warning'],
        ['alert.resolved', device.at(6), device.at(0), 'warning'],
      ],
    );
  });

  it('writes no column of an index while a breach waits for its delay', async () => {
    const { sql } = device.dms.service;
    const stored = () =>
      sql('device_states').where({ organization_id: device.org.id, asset_id: device.assetId }).first();
    await confirmProfile(LASTING);
    await measure(0, 9);
    const { excursions: began } = await stored();
    await measure(1, 9);
    const { open_alerts: open, excursions } = await stored();
    assert.deepEqual([open, excursions.length], [[], 1]);
    assert.ok(excursions[0].lastAt > began[0].lastAt);
    const indexes = await sql('pg_depend as d')
      .join('pg_attribute as a', { attrelid: 'd.refobjid', attnum: 'd.refobjsubid' })
      .whereRaw("d.refobjid = 'device_states'::regclass and d.classid = 'pg_class'::regclass")
      .distinct('a.attname as name');
    const names = indexes.map(({ name }) => name);
    assert.deepEqual([names.includes('open_alerts'), names.includes('excursions')], [true, false]);
  });

  it('opens within one frame that brings all readings of the breach', async () => {
    await confirmProfile(LASTING);
    await send([0, 1, 2, 3, 4, 5].map((minute) => reading(minute, 9)));
    assert.equal((await onlyAlert()).timestamp, device.at(0));
    assert.equal(await openAlerts(), 1);
  });

  it('keeps delay and severity off the device, which confirms the change by a report without them', async () => {
    await applyProfile(LASTING);
    const { pendingConfig } = await configOf(device.org, device.serial);
    assert.equal(pendingConfig.alarmRules[0].samples, 6);
    assert.ok(!('terms' in pendingConfig.alarmRules[0]));
    const offered = (await device.org.device.get(`/devices/${device.serial}/pending-config`)).body;
    assert.deepEqual(offered.config, pendingConfig);
    await applyAnswer(device.org, device.serial);
    assert.equal((await configOf(device.org, device.serial)).syncStatus, 'applied');
    await report(device.org, device.serial, { ...FACTORY, ...pendingConfig });
    assert.equal((await configOf(device.org, device.serial)).syncStatus, 'applied');
    await measure(0, 9, 9, 9, 9, 9);
    assert.deepEqual(await statuses(), []);
    await measure(5, 9);
    assert.deepEqual(await statuses(), ['high_temp new']);
  });

  it('lists alerts of one severity with their total', async () => {
    await confirmProfile({
      ...LASTING,
      temperatureAlerts: [{ ...LASTING.temperatureAlerts[0], delayMinutes: 0 }],
    });
    await send([reading(0, 9)], { batteryStatus: 'low' });
    const listed = async (filter: string) => {
      const { items, totalItems } = (await device.org.api.get(`/alerts?${filter}`)).body;
      return [totalItems, ...items.map(({ type }: { type: string }) => type)];
    };
    assert.deepEqual(await listed('severity=warning'), [1, 'high_temp']);
    assert.deepEqual(await listed('severity=critical&status=new'), [1, 'low_battery']);
    assert.deepEqual(await listed('severity=warning&type=low_battery'), [0]);
    assert.equal((await device.org.api.get('/alerts?severity=high')).status, 400);
  });

  it('changes the severity once the device has confirmed rules that it already runs', async () => {
    await confirmProfile(LASTING);
    const [alert] = LASTING.temperatureAlerts;
    await applyProfile({
      ...LASTING,
      temperatureAlerts: [{ ...alert, delayMinutes: 5, severity: 'critical' }],
    });
    assert.equal((await configOf(device.org, device.serial)).syncStatus, 'pending');
    await applyAnswer(device.org, device.serial);
    assert.equal((await configOf(device.org, device.serial)).syncStatus, 'applied');
    await measure(0, 9, 9, 9, 9, 9, 9);
    assert.equal((await onlyAlert()).severity, 'critical');
  });

  it('adjusts the number of samples on the device when another measurement interval is applied', async () => {
    await confirmProfile(LASTING);
    await applyProfile({ intervals: { measurementIntervalMinutes: 5 } });
    const { pendingConfig } = await configOf(device.org, device.serial);
    assert.equal(pendingConfig.alarmRules[0].samples, 2);
    await applyAnswer(device.org, device.serial);
    await measure(0, 9, 9);
    assert.deepEqual(await statuses(), []);
    await measure(5, 9);
    assert.equal((await onlyAlert()).severity, 'warning');
  });

  it('opens at once and as critical for a device whose rules did not come from the service', async () => {
    await applyProfile(LASTING);
    const { pendingConfig } = await configOf(device.org, device.serial);
    await device.org.api.post(`/devices/${device.serial}/config/withdraw`);
    await report(device.org, device.serial, { ...FACTORY, ...pendingConfig });
    await measure(0, 9);
    assert.equal((await onlyAlert()).severity, 'critical');
  });

  it('starts no job for a group member that runs the profile already', async () => {
    const { api } = device.org;
    assert.equal((await api.post('/devices/config-profiles', { slug: 'lasting', ...LASTING })).status, 201);
    const group = (await api.post('/groups', { name: 'Rooms', profileSlug: 'lasting' })).body;
    await api.patch(`/assets/${device.assetId}`, { groupId: group.id });
    await applyAnswer(device.org, device.serial);
    await api.patch(`/groups/${group.id}`, { profileSlug: 'lasting' });
    assert.equal((await configOf(device.org, device.serial)).syncStatus, 'applied');
    assert.equal((await api.get('/devices/config-jobs')).body.items.length, 1);
  });

  it('archives an asset while a breach has not lasted its delay', async () => {
    await confirmProfile(LASTING);
    await measure(0, 9);
    assert.equal((await device.org.api.delete(`/assets/${device.assetId}`)).status, 200);
    assert.deepEqual(await statuses(), []);
  });
});
