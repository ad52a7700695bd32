/** Alerts (contract.md, sections 5 and 10; webhooks.md, section 1): what readings open and close, and who is told. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../src/db/query.ts';
import type { Answer } from '../support/client.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  FACTORY,
  FREEZER,
  FRIDGE,
  register,
  report,
} from '../support/fleet.ts';
import { openLogger } from '../support/logger.ts';
import { SENSOR_ERROR } from '../support/logger-payloads.ts';
import { startReceiver } from '../support/receiver.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const NOBODY = '01920000-0000-7000-8000-000000000000';
const BOUNDS = { lowC: 2, highC: 8, hysteresisC: 0.5 };
const ALERT_EVENTS = ['alert.created', 'alert.resolved', 'data.measurement.alert'];

interface AlertItem {
  id: string;
  type: string;
  status: string;
  timestamp: string;
  details: Record<string, unknown>;
}

describe('Alerts', () => {
  let dms: TestService;
  let org: TestOrganization;
  let serial: string;
  let assetId: string;
  let begun: number;
  let serials = 0;
  /** What the service's clock is ahead of ours. */
  let aheadMs = 0;

  before(async () => {
    dms = await startService({ now: () => new Date(Date.now() + aheadMs) });
  });
  after(() => dms.stop());
  beforeEach(async () => {
    org = await dms.addOrganization();
    await newDevice();
    begun = Date.now() - 360 * MINUTE_MS;
  });
  afterEach(() => {
    aheadMs = 0;
  });

  async function newDevice(): Promise<void> {
    serial = `GUARDED-${++serials}`;
    assetId = await register(org, serial, { name: `Room ${serials}` });
  }
  /** The profile is applied, but the device has not said that it runs it. */
  async function offer(profile: object): Promise<void> {
    const slug = await createProfile(org, { slug: `rules-${++serials}`, ...profile });
    await apply(org, slug, { serialNumbers: [serial] });
  }
  async function guard(profile: object): Promise<void> {
    await offer(profile);
    await applyAnswer(org, serial);
  }
  /** So many minutes after the test's beginning, six hours ago. */
  const at = (minute: number) => new Date(begun + minute * MINUTE_MS).toISOString();
  const reading = (minute: number, value: number, more: object = {}) => ({
    channel: 1,
    type: 'temperature',
    value,
    measuredAt: at(minute),
    ...more,
  });
  async function send(readings: object[], more: object = {}): Promise<void> {
    const { status, text } = await org.device.post(`/devices/${serial}/measurements`, { readings, ...more });
    assert.equal(status, 202, text);
  }
  /** One frame for each value, a minute apart. */
  async function measure(minute: number, ...values: number[]): Promise<void> {
    for (const [index, value] of values.entries()) await send([reading(minute + index, value)]);
  }
  async function list(
    more = '',
  ): Promise<{ items: AlertItem[]; totalItems: number; nextCursor: string | null }> {
    const { status, body, text } = await org.api.get(`/alerts?assetId=${assetId}${more}`);
    assert.equal(status, 200, text);
    return body;
  }
  /** Oldest first. */
  const alerts = async () => (await list()).items.toReversed();
  const seen = async () => (await alerts()).map(({ type, status }) => `${type} ${status}`);
  const only = async () => {
    const [first, ...others] = await alerts();
    assert.deepEqual(others, []);
    return first as AlertItem;
  };
  const acknowledge = (id: string, by = org) => by.api.patch(`/alerts/${id}`, { status: 'acknowledged' });

  describe('of a range', () => {
    beforeEach(() => guard(FRIDGE));

    it('open with the first reading above it, and say when, where and by how much', async () => {
      await measure(0, 8, 8.1);
      const { id, ...alert } = (await alerts())[0] as AlertItem & { updatedAt: string };
      assert.ok(Math.abs(Date.parse(alert.updatedAt) - Date.now()) < 10_000);
      assert.deepEqual(alert, {
        recType: 'alert',
        assetId,
        serialNumber: serial,
        type: 'high_temp',
        status: 'new',
        details: { channel: 1, value: 8.1, bounds: BOUNDS },
        timestamp: at(1),
        updatedAt: alert.updatedAt,
      });
      assert.deepEqual((await org.api.get(`/alerts/${id}`)).body, { id, ...alert });
    });

    it('open below it as well', async () => {
      await measure(0, 2, 1.9);
      const { type, details } = await only();
      assert.deepEqual([type, details.value], ['low_temp', 1.9]);
    });

    it('end when a reading is back by the hysteresis, and not before', async () => {
      await measure(0, 8.1, 7.6);
      assert.deepEqual(await seen(), ['high_temp new']);
      await measure(2, 7.5);
      assert.deepEqual(await seen(), ['high_temp resolved']);
      await measure(3, 1.9, 2.4);
      assert.deepEqual(await seen(), ['high_temp resolved', 'low_temp new']);
      await measure(5, 2.5);
      assert.deepEqual(await seen(), ['high_temp resolved', 'low_temp resolved']);
    });

    it('are one, however many readings are out of it', async () => {
      await measure(0, 9, 10, 7.9, 11);
      await send([reading(10, 12), reading(11, 13)]);
      assert.equal((await only()).details.value, 9);
    });

    it('are one, when many frames come at once', async () => {
      await Promise.all(Array.from({ length: 30 }, (_, index) => send([reading(index, 9)])));
      assert.deepEqual(await seen(), ['high_temp new']);
    });

    it('are two, when a reading jumps to the other side: the first is over', async () => {
      await measure(0, 9, 1);
      assert.deepEqual(await seen(), ['high_temp resolved', 'low_temp new']);
    });

    it('open and end within one frame, in the order of the readings and not of the frame', async () => {
      await send([reading(3, 1), reading(1, 9), reading(2, 5)]);
      assert.deepEqual(await seen(), ['high_temp resolved', 'low_temp new']);
    });

    it('open again after they have ended', async () => {
      await measure(0, 9, 5, 9);
      assert.deepEqual(await seen(), ['high_temp resolved', 'high_temp new']);
    });

    it('are not about other channels, nor about other quantities', async () => {
      await send([
        reading(0, 90, { channel: 2 }),
        reading(0, 90, { type: 'humidity', channel: 3 }),
        reading(1, 90, { type: 'humidity' }),
      ]);
      assert.deepEqual(await seen(), []);
    });

    it('do not open, nor end, by readings that are not newer than the last one', async () => {
      await measure(10, 5);
      await send([reading(9, 20)]);
      assert.deepEqual(await seen(), []);
      await measure(11, 20);
      await send([reading(10.5, 5)]);
      assert.deepEqual(await seen(), ['high_temp new']);
    });

    it('do not open, nor end, by readings that were older than a day when they came', async () => {
      const old = (seconds: number) => new Date(Date.now() - DAY_MS + seconds * 1_000).toISOString();
      await send([reading(0, 20, { measuredAt: old(-60) })]);
      assert.deepEqual(await seen(), []);
      await send([reading(0, 20, { measuredAt: old(60) })]);
      assert.deepEqual(await seen(), ['high_temp new']);
    });

    it('do not open by readings that were there before', async () => {
      const frame = [reading(0, 20)];
      await send(frame);
      await measure(1, 5);
      await send(frame);
      assert.deepEqual(await seen(), ['high_temp resolved']);
    });

    it('follow a reading that is not quite as late as the newest one', async () => {
      await send([reading(5, 5), reading(0, 5, { channel: 2 })]);
      await send([reading(3, 20, { channel: 2 }), reading(6, 20)]);
      assert.deepEqual(await seen(), ['high_temp new']);
    });
  });

  describe('of one bound', () => {
    it('open above a high one only', async () => {
      await guard({ temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 8 }] });
      await measure(0, -40, 8.1);
      const { type, details } = await only();
      assert.deepEqual([type, details.bounds], ['high_temp', { lowC: null, highC: 8, hysteresisC: 0 }]);
      await measure(2, 8);
      assert.deepEqual(await seen(), ['high_temp resolved']);
    });

    it('open below a low one only', async () => {
      await guard({ temperatureAlerts: [{ type: 'low', channel: 'probe', lowC: -20, hysteresisC: 1 }] });
      await measure(0, 40, -20.1, -19.1);
      assert.deepEqual(await seen(), ['low_temp new']);
      await measure(3, -19);
      assert.deepEqual(await seen(), ['low_temp resolved']);
    });

    it('open once for each definition that is left', async () => {
      const high = (highC: number) => ({ type: 'high', channel: 'probe', highC });
      await guard({ temperatureAlerts: [high(8), high(15)] });
      await measure(0, 10);
      assert.deepEqual(await seen(), ['high_temp new']);
      await measure(1, 20);
      assert.deepEqual(await seen(), ['high_temp new', 'high_temp new']);
      await measure(2, 12);
      assert.deepEqual((await seen()).toSorted(), ['high_temp new', 'high_temp resolved']);
    });
  });

  describe('of two positions', () => {
    it('are told apart by the channel', async () => {
      serial = `GUARDED-${++serials}`;
      assetId = await register(org, serial, { model: 'TVO-THT' });
      const high = (channel: string, highC: number) => ({ type: 'high', channel, highC });
      await guard({ temperatureAlerts: [high('ambient', 30), high('probe', 8)] });
      await send([reading(0, 20, { channel: 'ambient' }), reading(0, 20, { channel: 'probe' })]);
      assert.equal((await only()).details.channel, 3);
      await send([reading(1, 31, { channel: 'ambient' }), reading(1, 5, { channel: 'probe' })]);
      assert.deepEqual(await seen(), ['high_temp resolved', 'high_temp new']);
    });
  });

  describe('and sensors that fail', () => {
    it('neither open nor end by their codes, and what is measured meanwhile counts', async () => {
      serial = 'ABCDEF000001';
      assetId = await register(org, serial);
      await guard(FREEZER);
      const { token } = await dms.issueKey(org.id, 'device');
      const logger = await openLogger({ serial, coapPort: dms.coapPort, token });
      const [first, second, third, fourth] = [at(0), at(10), at(11), at(5)].map((time) => new Date(time));
      await logger.measure({ values: [-20, SENSOR_ERROR], at: first });
      assert.deepEqual(await seen(), []);
      await logger.measure({ values: [SENSOR_ERROR], at: second });
      await logger.measure({ values: [-3], at: fourth });
      assert.deepEqual(await seen(), ['high_temp new']);
      await logger.measure({ values: [SENSOR_ERROR, SENSOR_ERROR], at: third });
      assert.deepEqual(await seen(), ['high_temp new']);
      await logger.close();
    });
  });

  describe('within a schedule', () => {
    const OFFICE = {
      ...FRIDGE,
      schedule: { always: false, days: ['wednesday'], from: '08:00', to: '18:00', timezone: 'Asia/Kolkata' },
    };
    /** A Wednesday, 23:59 in that zone. */
    const WEDNESDAY = Date.UTC(2027, 5, 16, 18, 29);
    const wednesday = (clock: string, value: number) =>
      reading(0, value, { measuredAt: new Date(`2027-06-16T${clock}:00+05:30`).toISOString() });

    beforeEach(async () => {
      await guard(OFFICE);
      aheadMs = WEDNESDAY - Date.now();
    });

    it('open by the time of the reading: from its first minute to before its last', async () => {
      await send([wednesday('07:59', 20)]);
      assert.deepEqual(await seen(), []);
      await send([wednesday('08:00', 20)]);
      assert.deepEqual(await seen(), ['high_temp new']);
    });

    it('do not open after it', async () => {
      await send([wednesday('17:59', 5), wednesday('18:00', 20)]);
      assert.deepEqual(await seen(), []);
    });

    it('do not open on another day', async () => {
      await send([reading(0, 20, { measuredAt: new Date('2027-06-15T20:00:00+05:30').toISOString() })]);
      assert.deepEqual(await seen(), []);
    });

    it('tell nobody of a breach outside of it', async () => {
      await org.api.post('/webhooks', { url: 'http://127.0.0.1:9/hook', events: ALERT_EVENTS });
      await send([wednesday('07:00', 20), wednesday('19:00', 20)]);
      const rows = await query(dms.service.sql, 'select 1 from events where organization_id = ?', [org.id]);
      assert.deepEqual(rows, []);
    });
  });

  describe('of rules', () => {
    it('that the device confirmed are judged by them, whatever was applied since', async () => {
      await guard(FRIDGE);
      await offer({ temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 30 }] });
      await measure(0, 20);
      assert.deepEqual((await only()).details.bounds, BOUNDS);
    });

    it('that were applied guard a device that never reports', async () => {
      await offer(FRIDGE);
      await measure(0, 20);
      assert.deepEqual(await seen(), ['high_temp new']);
      await measure(1, 5);
      assert.deepEqual(await seen(), ['high_temp resolved']);
    });

    it('that a device which reports did not confirm guard nothing', async () => {
      await report(org, serial, FACTORY);
      await offer(FRIDGE);
      await measure(0, 20);
      assert.deepEqual(await seen(), []);
    });

    it('that are replaced by new ones are over when the device confirms those', async () => {
      await guard(FRIDGE);
      await measure(0, 20);
      await offer({ temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 10 }] });
      assert.deepEqual(await seen(), ['high_temp new']);
      await applyAnswer(org, serial);
      assert.deepEqual(await seen(), ['high_temp resolved']);
      await measure(1, 20);
      assert.deepEqual(await seen(), ['high_temp resolved', 'high_temp new']);
    });

    it('that were applied to a device that never reports are over when other ones are applied', async () => {
      await offer(FRIDGE);
      await measure(0, 20);
      await offer({ intervals: { transmissionIntervalSeconds: 7_200 } });
      assert.deepEqual(await seen(), ['high_temp new']);
      await offer({ temperatureAlerts: [] });
      assert.deepEqual(await seen(), ['high_temp resolved']);
      await applyAnswer(org, serial);
      assert.deepEqual(await seen(), ['high_temp resolved']);
    });

    it('that were applied to a device that never reports are over when their job is cancelled', async () => {
      await offer(FRIDGE);
      await measure(0, 20);
      const [job] = (await org.api.get('/devices/config-jobs')).body.items;
      assert.equal((await org.api.post(`/devices/config-jobs/${job.id}/cancel`)).status, 200);
      assert.deepEqual(await seen(), ['high_temp resolved']);
    });

    it('that were applied are over when the first report of the device says that it runs none', async () => {
      await offer(FRIDGE);
      await measure(0, 20);
      await report(org, serial, { ...FACTORY, alarmRules: [] });
      assert.deepEqual(await seen(), ['high_temp resolved']);
    });

    it('that the device confirms with its first report stay open: it ran them all the time', async () => {
      await offer(FRIDGE);
      await measure(0, 20);
      await applyAnswer(org, serial);
      assert.deepEqual(await seen(), ['high_temp new']);
      await measure(1, 5);
      assert.deepEqual(await seen(), ['high_temp resolved']);
    });

    it('stay open when the device confirms other intervals, or the same rules once more', async () => {
      await guard(FRIDGE);
      await measure(0, 20);
      await guard({ intervals: { transmissionIntervalSeconds: 7_200 } });
      await guard(FRIDGE);
      assert.deepEqual(await seen(), ['high_temp new']);
    });

    it('that were replaced while a frame waited are not judged by any more', async () => {
      await guard(FRIDGE);
      await offer({ temperatureAlerts: [] });
      const { config } = (await org.device.get(`/devices/${serial}/pending-config`)).body;
      await send([reading(0, 20)]);
      const holder = await dms.service.sql.transaction();
      await query(holder, 'select 1 from device_states where asset_id = ? for update', [assetId]);
      const confirmed = report(org, serial, { ...FACTORY, ...config });
      await sleep(150);
      const measured = send([reading(1, 5), reading(2, 20)]);
      await sleep(150);
      await holder.commit();
      assert.equal((await confirmed).body.syncStatus, 'applied');
      await measured;
      assert.deepEqual(await seen(), ['high_temp resolved']);
    });

    it('are over when other ones are confirmed, also an alert that was being opened just then', async () => {
      await guard(FRIDGE);
      await offer({ temperatureAlerts: [] });
      const { config } = (await org.device.get(`/devices/${serial}/pending-config`)).body;
      const holder = await dms.service.sql.transaction();
      await query(holder, 'lock table alerts in exclusive mode');
      const measured = send([reading(0, 20)]);
      await sleep(150);
      const confirmed = report(org, serial, { ...FACTORY, ...config });
      await sleep(150);
      await holder.commit();
      await measured;
      assert.equal((await confirmed).body.syncStatus, 'applied');
      assert.deepEqual(await seen(), ['high_temp resolved']);
    });

    it('are over when the asset is archived', async () => {
      await guard(FRIDGE);
      await measure(0, 20);
      await org.api.delete(`/assets/${assetId}`);
      assert.deepEqual(await seen(), ['high_temp resolved']);
    });

    it('go on with new hardware, which has to run them too', async () => {
      await guard(FRIDGE);
      await measure(0, 20);
      const before = serial;
      serial = `GUARDED-${++serials}`;
      await org.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber: serial });
      await measure(1, 21, 5);
      const alert = (await only()) as AlertItem & { serialNumber: string };
      assert.deepEqual([alert.status, alert.serialNumber], ['resolved', before]);
    });
  });

  describe('that somebody has seen', () => {
    beforeEach(async () => {
      await guard(FRIDGE);
      await measure(0, 20);
    });

    it('are acknowledged, also twice, and end all the same', async () => {
      const { id } = await only();
      for (let round = 0; round < 2; round++) {
        const { status, body } = await acknowledge(id);
        assert.deepEqual([status, body.status], [200, 'acknowledged']);
      }
      await measure(1, 21);
      assert.deepEqual(await seen(), ['high_temp acknowledged']);
      await measure(2, 5);
      assert.deepEqual(await seen(), ['high_temp resolved']);
    });

    it('cannot be acknowledged when they are over', async () => {
      await measure(1, 5);
      const { id } = await only();
      assert.equal((await acknowledge(id)).status, 409);
      assert.deepEqual(await seen(), ['high_temp resolved']);
    });

    it('are 404 for others, and so is what is no id', async () => {
      const other = await dms.addOrganization();
      const { id } = await only();
      for (const [by, path] of [
        [other, id],
        [org, NOBODY],
        [org, 'nonsense'],
      ] as const) {
        assert.equal((await by.api.get(`/alerts/${path}`)).status, 404, path);
        assert.equal((await acknowledge(path, by)).status, 404, path);
      }
      assert.deepEqual(await seen(), ['high_temp new']);
    });

    it('take no other status, and nothing else', async () => {
      const { id } = await only();
      for (const body of [
        { status: 'resolved' },
        { status: 'new' },
        {},
        { status: 'acknowledged', note: 'x' },
      ])
        assert.equal((await org.api.patch(`/alerts/${id}`, body)).status, 400, JSON.stringify(body));
    });
  });

  describe('in a list', () => {
    beforeEach(async () => {
      await guard(FRIDGE);
      await measure(0, 20, 5, 20, 1, 20);
    });

    it('come newest first, page by page, and each page counts all', async () => {
      const pages: AlertItem[][] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await list(`&limit=3${cursor && `&cursor=${cursor}`}`);
        assert.equal(page.totalItems, 4);
        pages.push(page.items);
        cursor = page.nextCursor;
      }
      assert.deepEqual(
        pages.map((page) => page.map(({ timestamp }) => timestamp)),
        [[at(4), at(3), at(2)], [at(0)]],
      );
    });

    it('are filtered by status', async () => {
      const [last] = (await list('&status=new')).items;
      assert.equal((await list('&status=new')).totalItems, 1);
      assert.equal((await list('&status=resolved')).totalItems, 3);
      assert.equal((await list('&status=acknowledged')).totalItems, 0);
      await acknowledge((last as AlertItem).id);
      assert.equal((await list('&status=acknowledged')).totalItems, 1);
    });

    it('are filtered by asset, and are of the organization alone', async () => {
      await newDevice();
      await guard(FRIDGE);
      await measure(0, 20);
      assert.equal((await list()).totalItems, 1);
      assert.equal((await org.api.get('/alerts')).body.totalItems, 5);
      const other = await dms.addOrganization();
      for (const query of ['', `?assetId=${assetId}`]) {
        const { items, totalItems } = (await other.api.get(`/alerts${query}`)).body;
        assert.deepEqual([items, totalItems], [[], 0]);
      }
    });

    it('are asked for in words that exist', async () => {
      for (const query of [
        'status=open',
        'assetId=nonsense',
        'limit=0',
        'limit=501',
        'cursor=x',
        'type=no_data',
      ])
        assert.equal((await org.api.get(`/alerts?${query}`)).status, 400, query);
    });
  });

  describe('and who is told of them', () => {
    const subscribe = async (events: string[], url = 'http://127.0.0.1:9/hook') => {
      const { status, body, text } = await org.api.post('/webhooks', { url, events });
      assert.equal(status, 201, text);
      return body.id as string;
    };
    /** Oldest first. */
    const told = async (webhookId: string) => {
      const { items } = (await org.api.get(`/webhooks/${webhookId}/deliveries?limit=500`)).body;
      const all = items.map(({ id }: { id: string }) =>
        org.api.get(`/webhooks/${webhookId}/deliveries/${id}`),
      );
      return (await Promise.all<Answer>(all)).map(({ body }) => body.payload).toReversed();
    };

    beforeEach(() => guard(FRIDGE));

    it('are receivers, of the reading, of the alert when it begins, and when it ends', async () => {
      const receiver = await startReceiver();
      await subscribe(ALERT_EVENTS, receiver.url);
      await org.api.post('/cellular-webhooks', { url: receiver.url });
      await send([reading(0, 20), reading(1, 50, { type: 'humidity', channel: 2 })], { batteryStatus: 'ok' });
      const alert = await only();
      await receiver.until(3);
      await measure(2, 5);
      await receiver.until(5);
      await receiver.stop();
      const of = (type: string) =>
        receiver.received.map(({ event }) => event).filter((event) => event.type === type);
      const frame = {
        serialNumber: serial,
        assetId,
        assetName: `Room ${serials - 1}`,
        batteryStatus: 'ok',
        signalStrength: 'unknown',
        nextTransmissionAt: null,
      };
      const readings = [
        { ...reading(0, 20), unit: '°C' },
        { ...reading(1, 50, { type: 'humidity', channel: 2 }), unit: '%' },
      ];
      const measured = of('data.measurement').toSorted((a, b) => Number(a.timestamp > b.timestamp) || -1);
      assert.deepEqual(
        measured.map(({ data }) => data),
        [
          { ...frame, readings },
          { ...frame, readings: [{ ...reading(2, 5), unit: '°C' }] },
        ],
      );
      const [breach, ...noMore] = of('data.measurement.alert');
      assert.deepEqual(breach?.data, { ...frame, alertId: alert.id, bounds: BOUNDS, readings });
      const [created] = of('alert.created');
      assert.deepEqual([created?.data, created?.timestamp], [alert, at(0)]);
      const [resolved] = of('alert.resolved');
      assert.deepEqual(resolved?.data, (await org.api.get(`/alerts/${alert.id}`)).body);
      assert.deepEqual([noMore, receiver.received.length], [[], 5]);
    });

    it('hear in the order of the readings what a frame that comes late at once opened and closed', async () => {
      const webhookId = await subscribe(['alert.created', 'alert.resolved']);
      await send([5, 12, 5, 12, 5].map((value, minute) => reading(minute, value)));
      assert.deepEqual(
        (await told(webhookId)).map(({ type, timestamp }) => [type, timestamp]),
        [
          ['alert.created', at(1)],
          ['alert.resolved', at(2)],
          ['alert.created', at(3)],
          ['alert.resolved', at(4)],
        ],
      );
    });

    it('hear of every frame with a breach, under the one alert', async () => {
      const webhookId = await subscribe(['data.measurement.alert']);
      await measure(0, 20, 21, 7.9, 5);
      const { id } = await only();
      assert.deepEqual(
        (await told(webhookId)).map(({ data }) => [data.alertId, data.readings[0].value]),
        [
          [id, 20],
          [id, 21],
        ],
      );
    });

    it('hear of a frame once for each alert that it holds a breach of', async () => {
      const webhookId = await subscribe(['data.measurement.alert', 'alert.created', 'alert.resolved']);
      await send([reading(0, 20), reading(1, 21), reading(2, 1)]);
      const [high, low] = (await alerts()).map(({ id }) => id);
      const all = await told(webhookId);
      const idsOf = (type: string) =>
        all
          .filter((event) => event.type === type)
          .map(({ data }) => data.alertId ?? data.id)
          .toSorted();
      assert.deepEqual(idsOf('data.measurement.alert'), [high, low].toSorted());
      assert.deepEqual(idsOf('alert.created'), [high, low].toSorted());
      assert.deepEqual(idsOf('alert.resolved'), [high]);
    });

    it('hear of late readings as measurements, not as breaches', async () => {
      const webhookId = await subscribe(ALERT_EVENTS);
      await org.api.post('/cellular-webhooks', { url: 'http://127.0.0.1:9/hook' });
      await measure(10, 5);
      await send([reading(9, 20)]);
      assert.deepEqual(await told(webhookId), []);
      const rows = await query(dms.service.sql, 'select 1 from events where organization_id = ?', [org.id]);
      assert.equal(rows.length, 2);
    });

    it('hear of a large frame in several events below 20 kB, each reading once, of the same alert', async () => {
      const webhookId = await subscribe(['data.measurement.alert']);
      const measured = (index: number) => new Date(begun + index * 1_000).toISOString();
      await send(
        Array.from({ length: 1_000 }, (_, index) =>
          reading(0, index === 999 ? 20 : 5, { measuredAt: measured(index) }),
        ),
      );
      const { id } = await only();
      const all = await told(webhookId);
      assert.ok(all.length > 1);
      for (const event of all) {
        assert.ok(Buffer.byteLength(JSON.stringify(event)) < 20_000);
        assert.deepEqual([event.data.alertId, event.data.bounds], [id, BOUNDS]);
      }
      const times = all.flatMap(({ data }) =>
        data.readings.map(({ measuredAt }: { measuredAt: string }) => measuredAt),
      );
      assert.deepEqual(
        times.toSorted(),
        Array.from({ length: 1_000 }, (_, index) => measured(index)),
      );
    });

    it('hear that an alert is over when its rules are replaced, and when its asset is archived', async () => {
      const webhookId = await subscribe(['alert.resolved']);
      await measure(0, 20);
      await guard({ temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 10 }] });
      await measure(1, 20);
      await org.api.delete(`/assets/${assetId}`);
      const [first, second] = await alerts();
      assert.deepEqual(
        (await told(webhookId)).map(({ data }) => [data.id, data.status]),
        [
          [first?.id, 'resolved'],
          [second?.id, 'resolved'],
        ],
      );
    });

    it('are nobody: then no event is written, and the alerts are there all the same', async () => {
      await measure(0, 20, 1, 5);
      assert.equal((await alerts()).length, 2);
      const rows = await query(dms.service.sql, 'select 1 from events where organization_id = ?', [org.id]);
      assert.deepEqual(rows, []);
    });
  });
});
