/** Section 11 of the contract: the whole organization in one answer, and unregistered devices. */
import assert from 'node:assert/strict';
import {
  apply,
  applyAnswer,
  createProfile,
  FACTORY,
  FREEZER,
  FRIDGE,
  refuse,
  register,
  report,
  sendLowBattery,
  sendTemperature,
} from '../support/fleet.ts';
import { useOrganization, useService } from '../support/service.ts';

describe('The fleet of an organization', () => {
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);

  const fleet = async () => (await org.api.get('/fleet')).body;
  const some = (counts: Record<string, number>) =>
    Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

  it('counts nothing for a new organization, and names every state', async () => {
    const { status, syncStatus, batteryStatus, openAlerts, endpoints, unregisteredDevices } = await fleet();
    assert.deepEqual(status, { new: 0, online: 0, offline: 0 });
    assert.equal(Object.keys(syncStatus).length, 6);
    assert.deepEqual(batteryStatus, { ok: 0, low: 0, unknown: 0 });
    assert.deepEqual(some(openAlerts), {});
    assert.deepEqual(endpoints, { healthy: 0, failing: 0, recovering: 0, disabled: 0 });
    assert.equal(unregisteredDevices, 0);
  });

  it('counts devices without a profile as such, whatever they run, unless one is pending or was confirmed', async () => {
    const first = await register(org, 'FIRST');
    await register(org, 'SECOND');
    await org.api.post('/assets/import', [{ serialNumber: 'THIRD' }]);
    await report(org, 'FIRST', FACTORY);
    await report(org, 'SECOND', FACTORY);
    const { noProfile, syncStatus } = await fleet();
    assert.deepEqual([noProfile, some(syncStatus)], [3, { applied: 2, no_device_report: 1 }]);
    const slug = await createProfile(org, { slug: 'fridge', ...FRIDGE });
    await apply(org, slug, { serialNumbers: ['SECOND'] });
    await refuse(org, 'SECOND');
    assert.equal((await fleet()).noProfile, 2);
    await org.api.post('/devices/SECOND/config/withdraw');
    assert.equal((await fleet()).noProfile, 3);
    await apply(org, slug, { serialNumbers: ['SECOND'] });
    await applyAnswer(org, 'SECOND');
    const other = await createProfile(org, { slug: 'freezer', ...FREEZER });
    const jobId = await apply(org, other, { serialNumbers: ['SECOND'] });
    assert.equal((await org.api.post(`/devices/config-jobs/${jobId}/cancel`)).status, 200);
    assert.equal((await fleet()).noProfile, 2);
    await org.api.delete(`/assets/${first}`);
    assert.equal((await fleet()).noProfile, 1);
  });

  it('counts devices, alerts, webhooks and unregistered devices by state, and follows every change of them', async () => {
    const id = await register(org, 'WARM-1');
    await register(org, 'IDLE-1');
    await org.api.post('/webhooks', { url: 'http://127.0.0.1:9/a' });
    await org.api.post('/cellular-webhooks', { url: 'http://127.0.0.1:9/b', status: 'disabled' });
    await org.device.post('/devices/STRANGER-1/measurements', { readings: [] });
    await sendTemperature(org, 'STRANGER-1', 4).catch(() => undefined);
    const slug = await createProfile(org, { slug: 'fridge', ...FRIDGE });
    await apply(org, slug, { serialNumbers: ['WARM-1'] });
    await applyAnswer(org, 'WARM-1');
    await sendTemperature(org, 'WARM-1', 12);
    const counts = await fleet();
    assert.deepEqual(some(counts.status), { new: 1, online: 1 });
    assert.deepEqual(some(counts.syncStatus), { no_device_report: 1, applied: 1 });
    assert.deepEqual(some(counts.openAlerts), { high_temp: 1 });
    assert.deepEqual(some(counts.endpoints), { healthy: 1, disabled: 1 });
    assert.equal(counts.unregisteredDevices, 1);
    const [alert] = (await org.api.get('/alerts')).body.items;
    await org.api.patch(`/alerts/${alert.id}`, { status: 'acknowledged' });
    assert.deepEqual(some((await fleet()).openAlerts), { high_temp: 1 });
    await org.api.delete(`/assets/${id}`);
    const left = await fleet();
    assert.deepEqual(some(left.status), { new: 1 });
    assert.deepEqual(some(left.syncStatus), { no_device_report: 1 });
    assert.deepEqual(some(left.openAlerts), {});
    await sendLowBattery(org, 'IDLE-1');
    const flat = await fleet();
    assert.deepEqual([some(flat.batteryStatus), some(flat.openAlerts)], [{ low: 1 }, { low_battery: 1 }]);
    assert.deepEqual(some((await (await dms.addOrganization()).api.get('/fleet')).body.status), {});
  });

  it('lists devices that sent without being registered, newest first by page, until they are registered or removed', async () => {
    for (const serial of ['S-1', 'S-2', 'S-3', 'S-2']) {
      const { status } = await org.device.post(`/devices/${serial}/measurements`, {
        readings: [{ channel: 1, type: 'temperature', value: 4, measuredAt: new Date().toISOString() }],
      });
      assert.equal(status, 404);
    }
    const first = (await org.api.get('/unregistered-devices?limit=2')).body;
    const second = (await org.api.get(`/unregistered-devices?limit=2&cursor=${first.nextCursor}`)).body;
    const listed = [...first.items, ...second.items];
    assert.deepEqual(
      listed.map(({ serialNumber, count }) => [serialNumber, count]),
      [
        ['s-3', 1],
        ['s-2', 2],
        ['s-1', 1],
      ],
    );
    assert.equal(second.nextCursor, null);
    assert.ok(listed[1].firstSeenAt < listed[1].lastSeenAt);
    assert.equal((await (await dms.addOrganization()).api.get('/unregistered-devices')).body.items.length, 0);
    await register(org, 'S-3');
    assert.equal((await org.api.delete('/unregistered-devices/S-3')).status, 404);
    assert.equal((await org.api.delete('/unregistered-devices/S-2')).status, 204);
    assert.equal((await org.api.delete('/unregistered-devices/S-2')).status, 404);
    const left = (await org.api.get('/unregistered-devices')).body.items;
    assert.deepEqual(
      left.map(({ serialNumber }: { serialNumber: string }) => serialNumber),
      ['s-1'],
    );
    assert.equal((await org.api.get('/unregistered-devices?cursor=x')).status, 400);
  });
});
