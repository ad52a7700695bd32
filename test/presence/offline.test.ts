/** Silence (devices.md, section 0): what becomes of a device whose expected contact was missed. */
import assert from 'node:assert/strict';
import pg from 'pg';
import { query } from '../../src/db/query.ts';
import type { Answer } from '../support/client.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  eventually,
  FACTORY,
  FRIDGE,
  register,
  registerMany,
  report,
} from '../support/fleet.ts';
import { openLogger } from '../support/logger.ts';
import { startReceiver } from '../support/receiver.ts';
import { newDatabase } from '../support/servers.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

const MINUTE_MS = 60_000;
const EVENTS = ['device.offline', 'device.online', 'alert.created', 'alert.resolved'];

describe('A device that is expected', () => {
  let dms: TestService;
  let org: TestOrganization;
  let serial: string;
  let assetId: string;
  let serials = 0;
  /** What the service's clock is ahead of ours; it only goes on. */
  let aheadMs = 0;
  const now = () => new Date(Date.now() + aheadMs);

  before(async () => {
    dms = await startService({ now });
  });
  after(() => dms.stop());
  beforeEach(async () => {
    org = await dms.addOrganization();
    serial = `DUTIFUL-${++serials}`;
    assetId = await register(org, serial);
  });

  const pass = (minutes: number) => {
    aheadMs += minutes * MINUTE_MS;
  };
  const inMinutes = (minutes: number) => new Date(now().getTime() + minutes * MINUTE_MS).toISOString();
  /** A frame of one reading that was measured just now. */
  async function speak(nextInMinutes: number | null, { by = serial, value = 5 } = {}): Promise<void> {
    const readings = [{ channel: 1, type: 'temperature', value, measuredAt: now().toISOString() }];
    const next = nextInMinutes === null ? {} : { nextTransmissionAt: inMinutes(nextInMinutes) };
    const { status, text } = await org.device.post(`/devices/${by}/measurements`, { readings, ...next });
    assert.equal(status, 202, text);
  }
  const asset = async (id = assetId) => (await org.api.get(`/assets/${id}`)).body;
  const untilOffline = (id = assetId) =>
    eventually(
      () => asset(id),
      ({ status }) => status === 'offline',
    );
  /** Another device was found silent: whoever else is, was found too. */
  async function untilLookedAround(): Promise<void> {
    const other = `OVERDUE-${++serials}`;
    const id = await register(org, other);
    await speak(0.01, { by: other });
    await query(dms.service.sql, `update device_states set expected_by = '2020-01-01' where asset_id = ?`, [
      id,
    ]);
    await untilOffline(id);
  }
  const alerts = async (id = assetId) =>
    (await org.api.get(`/alerts?assetId=${id}`)).body.items as Array<Record<string, string>>;
  const seen = async () => (await alerts()).map(({ type, status }) => `${type} ${status}`);
  const subscribe = async (url = 'http://127.0.0.1:9/hook') =>
    (await org.api.post('/webhooks', { url, events: EVENTS })).body.id as string;
  const told = async (webhookId: string): Promise<string[]> => {
    const { items } = (await org.api.get(`/webhooks/${webhookId}/deliveries?limit=500`)).body;
    const all = items.map(({ id }: { id: string }) => org.api.get(`/webhooks/${webhookId}/deliveries/${id}`));
    return (await Promise.all<Answer>(all)).map(({ body }) => body.payload.type).toSorted();
  };

  it('and misses its time goes offline, with an alert that says by when it should have been heard', async () => {
    await speak(30);
    const [row] = await query<{ at: Date }>(
      dms.service.sql,
      'select expected_by as at from device_states where asset_id = ?',
      [assetId],
    );
    const expectedBy = row?.at.toISOString() as string;
    assert.ok(Math.abs(Date.parse(expectedBy) - now().getTime() - 40 * MINUTE_MS) < 5_000);
    pass(41);
    await untilOffline();
    const [{ id, updatedAt, ...alert } = {}, ...others] = await alerts();
    assert.deepEqual(others, []);
    assert.deepEqual(alert, {
      recType: 'alert',
      assetId,
      serialNumber: serial,
      type: 'no_data',
      status: 'new',
      details: { expectedBy },
      timestamp: expectedBy,
    });
  });

  it('is online until then', async () => {
    await speak(30);
    pass(39);
    await untilLookedAround();
    assert.equal((await asset()).status, 'online');
    assert.deepEqual(await seen(), []);
  });

  it('by the interval that it reported has as long again', async () => {
    await report(org, serial, FACTORY);
    await speak(null);
    pass(119);
    await untilLookedAround();
    assert.equal((await asset()).status, 'online');
    pass(2);
    await untilOffline();
  });

  it('and confirms a longer interval has as long as that from then on', async () => {
    await report(org, serial, FACTORY);
    await speak(null);
    const slug = await createProfile(org, {
      name: 'Seldom',
      intervals: { transmissionIntervalSeconds: 21_600 },
    });
    await apply(org, slug, { serialNumbers: [serial] });
    await applyAnswer(org, serial);
    pass(11 * 60);
    await untilLookedAround();
    assert.equal((await asset()).status, 'online');
    pass(61);
    await untilOffline();
  });

  it('and takes a longer interval has as long as that, although its report was lost', async () => {
    await report(org, serial, FACTORY);
    const slug = await createProfile(org, {
      name: 'Seldom',
      intervals: { transmissionIntervalSeconds: 21_600 },
    });
    await apply(org, slug, { serialNumbers: [serial] });
    await speak(null);
    assert.equal((await configOf(org, serial)).syncStatus, 'sent');
    pass(11 * 60);
    await untilLookedAround();
    assert.equal((await asset()).status, 'online');
    pass(61);
    await untilOffline();
  });

  it('and speaks again in time stays online', async () => {
    await speak(30);
    pass(35);
    await speak(30);
    pass(35);
    await untilLookedAround();
    assert.equal((await asset()).status, 'online');
  });

  it('is online again with its next frame, which ends the alert', async () => {
    await speak(30);
    pass(41);
    await untilOffline();
    await speak(30);
    assert.equal((await asset()).status, 'online');
    assert.deepEqual(await seen(), ['no_data resolved']);
  });

  it('is online again with a frame that tells nothing new, or only what is old', async () => {
    const measuredAt = inMinutes(-3_000);
    const frame = { readings: [{ channel: 1, type: 'temperature', value: 5, measuredAt }] };
    await org.device.post(`/devices/${serial}/measurements`, { ...frame, nextTransmissionAt: inMinutes(30) });
    pass(41);
    await untilOffline();
    await org.device.post(`/devices/${serial}/measurements`, frame);
    assert.deepEqual([(await asset()).status, await seen()], ['online', ['no_data resolved']]);
  });

  it('is online again with a frame over CoAP', async () => {
    const { token } = await dms.issueKey(org.id, 'device');
    const logger = await openLogger({ serial: 'ABCDEF0000FF', coapPort: dms.coapPort, token });
    assetId = await register(org, logger.serial);
    await logger.measure({ at: now(), nextTransmissionAt: new Date(now().getTime() + 30 * MINUTE_MS) });
    pass(41);
    await untilOffline();
    await logger.measure({ at: now(), confirmable: false });
    await eventually(asset, ({ status }) => status === 'online');
    assert.deepEqual(await seen(), ['no_data resolved']);
    await logger.close();
  });

  it('is online again with a report, which ends the alert and gives it a new time', async () => {
    const webhookId = await subscribe();
    await report(org, serial, FACTORY);
    await speak(null);
    pass(121);
    await untilOffline();
    await report(org, serial, FACTORY);
    assert.deepEqual([(await asset()).status, await seen()], ['online', ['no_data resolved']]);
    assert.deepEqual(await told(webhookId), [
      'alert.created',
      'alert.resolved',
      'device.offline',
      'device.online',
    ]);
    pass(119);
    await untilLookedAround();
    assert.equal((await asset()).status, 'online');
    pass(2);
    await untilOffline();
  });

  it('goes offline as often as it misses its time, each with an alert of its own', async () => {
    for (let round = 0; round < 2; round++) {
      await speak(30);
      pass(41);
      await untilOffline();
    }
    assert.deepEqual(await seen(), ['no_data new', 'no_data resolved']);
  });

  it('is reported missing once, however long it is silent', async () => {
    await speak(30);
    pass(41);
    await untilOffline();
    pass(3_000);
    await untilLookedAround();
    assert.deepEqual(await seen(), ['no_data new']);
  });

  it('whose alert was acknowledged ends it by its next frame all the same', async () => {
    await speak(30);
    pass(41);
    await untilOffline();
    const [alert] = await alerts();
    await org.api.patch(`/alerts/${alert?.id}`, { status: 'acknowledged' });
    await speak(30);
    assert.deepEqual(await seen(), ['no_data resolved']);
  });

  it('and was too warm when it was heard last has both alerts, each with its own end', async () => {
    const slug = await createProfile(org, FRIDGE);
    await apply(org, slug, { serialNumbers: [serial] });
    await applyAnswer(org, serial);
    await speak(30, { value: 20 });
    pass(3 * 60);
    await untilOffline();
    assert.deepEqual(await seen(), ['no_data new', 'high_temp new']);
    await speak(30, { value: 21 });
    assert.deepEqual(await seen(), ['no_data resolved', 'high_temp new']);
    await speak(30, { value: 5 });
    assert.deepEqual(await seen(), ['no_data resolved', 'high_temp resolved']);
  });

  it('is still missing when it gets other rules', async () => {
    const profiles = [FRIDGE, { name: 'None', temperatureAlerts: [] }];
    const slugs = await Promise.all(profiles.map((profile) => createProfile(org, profile)));
    await apply(org, slugs[0] as string, { serialNumbers: [serial] });
    await speak(30);
    pass(3 * 60);
    await untilOffline();
    await apply(org, slugs[1] as string, { serialNumbers: [serial] });
    assert.deepEqual([(await asset()).status, await seen()], ['offline', ['no_data new']]);
  });

  it('is told about when it goes and when it is back', async () => {
    const receiver = await startReceiver();
    await subscribe(receiver.url);
    await speak(30);
    pass(41);
    const offline = await untilOffline();
    const [alert] = await alerts();
    await receiver.until(2);
    await speak(30);
    await receiver.until(4);
    await receiver.stop();
    const dataOf = (type: string) => receiver.received.find(({ event }) => event.type === type)?.event.data;
    const { replacementHistory, ...shown } = offline;
    assert.deepEqual(dataOf('device.offline'), shown);
    assert.deepEqual(dataOf('alert.created'), alert);
    const { replacementHistory: _, ...online } = await asset();
    assert.deepEqual(dataOf('device.online'), online);
    assert.deepEqual(dataOf('alert.resolved'), (await alerts())[0]);
    assert.equal(receiver.received.length, 4);
  });

  it('is not told about when nothing changes', async () => {
    const webhookId = await subscribe();
    await speak(30);
    await speak(30);
    await untilLookedAround();
    assert.deepEqual(await told(webhookId), ['alert.created', 'device.offline']);
  });

  it('without anybody to tell makes no event, and is offline all the same', async () => {
    await speak(30);
    pass(41);
    await untilOffline();
    const rows = await query(dms.service.sql, 'select 1 from events where organization_id = ?', [org.id]);
    assert.deepEqual(rows, []);
  });

  it('of which nothing is known never goes offline: neither one that was never heard, nor one that named no time', async () => {
    const silent = await register(org, `SILENT-${++serials}`);
    await speak(null);
    pass(30 * 1_440);
    await untilLookedAround();
    assert.deepEqual([(await asset()).status, (await asset(silent)).status], ['online', 'new']);
    assert.deepEqual([await seen(), await alerts(silent)], [[], []]);
  });

  it('and is archived is left alone', async () => {
    await speak(30);
    await org.api.delete(`/assets/${assetId}`);
    pass(41);
    await untilLookedAround();
    assert.deepEqual(await seen(), []);
  });

  it('and is archived while it is missing is looked for no more', async () => {
    await speak(30);
    pass(41);
    await untilOffline();
    await org.api.delete(`/assets/${assetId}`);
    assert.deepEqual(await seen(), ['no_data resolved']);
  });

  it('and is replaced is back with the first frame of the new hardware', async () => {
    await speak(30);
    pass(41);
    await untilOffline();
    serial = `DUTIFUL-${++serials}`;
    await org.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber: serial });
    await speak(30);
    assert.deepEqual([(await asset()).status, await seen()], ['online', ['no_data resolved']]);
  });

  it('like more than five hundred others that miss their time together: each has one alert, and one event', async () => {
    const webhookId = await subscribe();
    const fleet = await registerMany(org, 510, `FLEET-${++serials}`);
    await Promise.all(fleet.map((by) => speak(30, { by })));
    pass(41);
    const missing = async (): Promise<number> => (await org.api.get('/alerts?limit=1')).body.totalItems;
    await eventually(missing, (count) => count >= fleet.length);
    await untilLookedAround();
    assert.equal(await missing(), fleet.length + 1);
    const rows = await query<{ type: string; count: number }>(
      dms.service.sql,
      `select event_type as type, count(*) as count from deliveries where endpoint_id = ? group by 1 order by 1`,
      [webhookId],
    );
    assert.deepEqual(rows, [
      { type: 'alert.created', count: fleet.length + 1 },
      { type: 'device.offline', count: fleet.length + 1 },
    ]);
  });
});

describe('A way in that was shut for three hours', () => {
  for (const name of ['api', 'gateway']) {
    it(`excuses silence for as long, and no longer: the ${name}`, async () => {
      const databaseUrl = await newDatabase();
      const database = new pg.Client({ connectionString: databaseUrl });
      const olderBy = (minutes: number, table: string, columns: string[], where = 'true') =>
        database.query(
          `update ${table} set ${columns.map((column) => `${column} = ${column} - interval '${minutes} minutes'`)}
           where ${where}`,
        );
      const deviceTimes = ['last_contact_at', 'expected_by'];
      const first = await startService({ databaseUrl, withWorker: false });
      await database.connect();
      const patientId = await register(first, 'PATIENT');
      const overdueId = await register(first, 'OVERDUE');
      await speakTo(first, 'PATIENT');
      await first.stop();
      await olderBy(180, 'device_states', deviceTimes);
      await olderBy(180, 'ingress_heartbeats', ['beat_at'], `ingress = '${name}'`);

      const second = await startService({ databaseUrl });
      const token = (kind: 'customer' | 'device') => second.issueKey(first.id, kind).then((key) => key.token);
      const api = second.with(await token('customer'));
      const statusOf = async (id: string) => (await api.get(`/assets/${id}`)).body.status;
      const untilOffline = (id: string) =>
        eventually(
          () => statusOf(id),
          (status) => status === 'offline',
        );
      // One that was heard since is looked at as ever: whoever else is silent was found, too.
      await speakTo({ ...first, device: second.with(await token('device')) }, 'OVERDUE');
      await olderBy(41, 'device_states', ['expected_by'], `asset_id = '${overdueId}'`);
      await untilOffline(overdueId);
      assert.equal(await statusOf(patientId), 'online');
      await database.query('begin');
      await olderBy(41, 'device_states', deviceTimes, `asset_id = '${patientId}'`);
      await olderBy(41, 'ingress_outages', ['started_at', 'ended_at']);
      await database.query('commit');
      await untilOffline(patientId);
      await second.stop();
      await database.end();
    });
  }

  async function speakTo(to: TestOrganization, serial: string): Promise<void> {
    const nextTransmissionAt = new Date(Date.now() + 30 * MINUTE_MS).toISOString();
    const readings = [{ channel: 1, type: 'temperature', value: 5, measuredAt: new Date().toISOString() }];
    const frame = { readings, nextTransmissionAt };
    const { status, text } = await to.device.post(`/devices/${serial}/measurements`, frame);
    assert.equal(status, 202, text);
  }
});
