/** Notifications of alerts whose devices are under maintenance. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { apply, applyAnswer, createProfile, eventually, FRIDGE, register } from '../support/fleet.ts';
import { type TestOrganization, useService } from '../support/service.ts';
import { newDevice, startMessageReceiver } from './harness.ts';

describe('A channel of muted devices', () => {
  const dms = useService({
    now: () => new Date(Date.now() + aheadMs),
    settings: { notificationIntervalMs: 0 },
    deliveryPlan: { pollIntervalMs: 50 },
  });
  let receiver: Awaited<ReturnType<typeof startMessageReceiver>>;
  let org: TestOrganization;
  let aheadMs = 0;

  beforeEach(async () => {
    aheadMs = 0;
    org = await dms.addOrganization();
    receiver = await startMessageReceiver();
    const answer = await org.api.post('/notification-channels', { type: 'slack', target: receiver.url });
    assert.equal(answer.status, 201, answer.text);
  });
  afterEach(() => receiver.stop());

  const assetIds = async (): Promise<string[]> =>
    (await org.api.get('/assets')).body.items.map(({ id }: { id: string }) => id);
  const mute = async (minutes: number, path: string) => {
    const until = new Date(Date.now() + minutes * MINUTE_MS).toISOString();
    const answer = await org.api.post(`${path}/mute`, { until, reason: 'Defrosting' });
    assert.ok(answer.status < 300, answer.text);
  };
  const firstLines = () =>
    receiver.received.map(({ body }) => JSON.parse(body).text.split('\n')[0] as string);
  const untilSaid = (count: number) =>
    eventually(
      async () => firstLines(),
      ({ length }) => length >= count,
    );
  /** Waits until this many alerts wait for the end of a mute. */
  const untilPostponed = (count: number) =>
    eventually(
      () =>
        query(
          dms.service.sql,
          `select 1 from notification_alerts where organization_id = ? and due_at > now() + interval '5 minutes'`,
          [org.id],
        ),
      ({ length }) => length === count,
    );

  it('notifies of nothing before the end, and then of open alerts and of ends that are still due', async () => {
    const [first, second, third] = [
      await newDevice(org, 'First room'),
      await newDevice(org, 'Second room'),
      await newDevice(org, 'Third room'),
    ];
    await third('low');
    await untilSaid(1);
    for (const id of await assetIds()) await mute(30, `/assets/${id}`);
    await first('low');
    await second('low');
    await third('ok');
    await untilPostponed(3);
    await second('ok');
    await untilPostponed(4);
    aheadMs = 31 * MINUTE_MS;
    const said = await untilSaid(2);
    assert.match(said[1] ?? '', /^1 new alert, 1 over: (First|Third) room, .+, and 1 more$/);
    const [, message] = receiver.received;
    assert.match(message?.body ?? '', /First room.*Third room/s);
    assert.doesNotMatch(message?.body ?? '', /Second room/);
  });

  it('notifies of postponed alerts at once when the mute is ended early, or the device leaves the muted group', async () => {
    const [first, second] = [await newDevice(org, 'First room'), await newDevice(org, 'Second room')];
    const { body: group } = await org.api.post('/groups', { name: 'Cold rooms' });
    const { items } = (await org.api.get('/assets')).body;
    const serialNumbers = items
      .filter(({ name }: { name: string }) => name === 'Second room')
      .map(({ serialNumber }: { serialNumber: string }) => serialNumber);
    await org.api.post(`/groups/${group.id}/add-members`, { serialNumbers });
    const { id } = items.find(({ name }: { name: string }) => name === 'First room');
    await mute(30, `/assets/${id}`);
    await mute(40, `/groups/${group.id}`);
    await first('low');
    await second('low');
    await untilPostponed(2);
    assert.equal((await org.api.delete(`/assets/${id}/mute`)).status, 204);
    assert.match((await untilSaid(1))[0] ?? '', /^New alert: First room/);
    await org.api.post(`/groups/${group.id}/remove-members`, { serialNumbers });
    assert.match((await untilSaid(2))[1] ?? '', /^New alert: Second room/);
  });

  it('mentions the end of an alert at once whose device is archived, whatever muted it', async () => {
    const [first, second] = [await newDevice(org, 'First room'), await newDevice(org, 'Second room')];
    const { items } = (await org.api.get('/assets')).body;
    const of = (wanted: string) => items.find(({ name }: { name: string }) => name === wanted);
    const { body: group } = await org.api.post('/groups', { name: 'Cold rooms' });
    await org.api.post(`/groups/${group.id}/add-members`, {
      serialNumbers: [of('Second room').serialNumber],
    });
    await first('low');
    await untilSaid(1);
    await second('low');
    await untilSaid(2);
    await mute(30, `/assets/${of('First room').id}`);
    await mute(40, `/groups/${group.id}`);
    await first('ok');
    await second('ok');
    await untilPostponed(2);
    assert.equal((await org.api.delete(`/assets/${of('First room').id}`)).status, 200);
    assert.match((await untilSaid(3))[2] ?? '', /^Over: First room/);
    assert.equal((await org.api.delete(`/assets/${of('Second room').id}`)).status, 200);
    assert.match((await untilSaid(4))[3] ?? '', /^Over: Second room/);
  });

  /** A device with bounds; sends one frame of readings, by their minutes from now. */
  async function fridge(serial: string) {
    const id = await register(org, serial, { name: `Room of ${serial}` });
    await apply(org, await createProfile(org, FRIDGE), { serialNumbers: [serial] });
    await applyAnswer(org, serial);
    const startMs = Date.now();
    const at = (minute: number) => new Date(startMs + minute * MINUTE_MS).toISOString();
    const send = async (...measured: Array<[minute: number, value: number]>) => {
      const readings = measured.map(([minute, value]) => ({
        channel: 1,
        type: 'temperature',
        value,
        measuredAt: at(minute),
      }));
      assert.equal((await org.device.post(`/devices/${serial}/measurements`, { readings })).status, 202);
    };
    const mute = async (from: number, until: number) => {
      const body = { from: at(from), until: at(until), reason: 'Defrosting' };
      assert.equal((await org.api.post(`/assets/${id}/mute`, body)).status, 201);
    };
    return { send, mute, at };
  }
  const untilQueued = (count: number) =>
    eventually(
      () => query(dms.service.sql, 'select 1 from notification_alerts where organization_id = ?', [org.id]),
      ({ length }) => length === count,
    );

  it('mentions after the maintenance an excursion within one frame that was over before, and none of its time', async () => {
    const { send, mute: muteFrom } = await fridge('FRAME-1');
    await muteFrom(30, 90);
    aheadMs = 60 * MINUTE_MS;
    await send([10, 5], [15, 12], [20, 5], [40, 5], [45, 13], [50, 5]);
    await untilPostponed(1);
    aheadMs = 91 * MINUTE_MS;
    await untilSaid(1);
    await untilQueued(0);
    assert.equal(receiver.received.length, 1);
    assert.match(receiver.received[0]?.body ?? '', /Over already.*too warm, 12 °C/);
  });

  it('mentions an excursion that lasted from one maintenance into the next', async () => {
    const { send, mute: muteFrom, at } = await fridge('TWO-1');
    const { body: group } = await org.api.post('/groups', { name: 'Cold rooms' });
    await org.api.post(`/groups/${group.id}/add-members`, { serialNumbers: ['TWO-1'] });
    await muteFrom(10, 20);
    const body = { from: at(40), until: at(60), reason: 'Cleaning' };
    assert.equal((await org.api.post(`/groups/${group.id}/mute`, body)).status, 201);
    aheadMs = 61 * MINUTE_MS;
    await send([5, 5], [15, 12], [45, 12], [50, 5]);
    await untilSaid(1);
    assert.match(receiver.received[0]?.body ?? '', /Over already.*too warm, 12 °C/);
  });

  it('mentions excursions in late data after the maintenance, but for those that began and ended in it', async () => {
    const { send, mute: muteFrom } = await fridge('LATE-1');
    await muteFrom(30, 90);
    aheadMs = 60 * MINUTE_MS;
    await send([60, 5]);
    await send([40, 13], [50, 5]);
    await untilQueued(0);
    await send([10, 12], [20, 5]);
    await untilPostponed(1);
    aheadMs = 91 * MINUTE_MS;
    await untilSaid(1);
    await untilQueued(0);
    assert.equal(receiver.received.length, 1);
    assert.match(receiver.received[0]?.body ?? '', /Over already.*up to 12 °C/);
  });

  it('stays muted when one mute ends while another one of the device goes on', async () => {
    const setBattery = await newDevice(org, 'First room');
    const { items } = (await org.api.get('/assets')).body;
    const { body: group } = await org.api.post('/groups', { name: 'Cold rooms' });
    await org.api.post(`/groups/${group.id}/add-members`, { serialNumbers: [items[0].serialNumber] });
    await mute(30, `/assets/${items[0].id}`);
    await mute(60, `/groups/${group.id}`);
    await setBattery('low');
    await untilPostponed(1);
    assert.equal((await org.api.delete(`/groups/${group.id}/mute`)).status, 204);
    await eventually(
      () =>
        query(
          dms.service.sql,
          `select 1 from notification_alerts q join mutes m on m.organization_id = q.organization_id
           where q.organization_id = ? and m.asset_id is not null and q.due_at = m.ends_at`,
          [org.id],
        ),
      ({ length }) => length === 1,
    );
    assert.deepEqual(firstLines(), []);
    assert.equal((await org.api.delete(`/assets/${items[0].id}/mute`)).status, 204);
    await untilSaid(1);
  });
});
