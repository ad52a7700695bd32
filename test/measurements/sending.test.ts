/** Readings as devices send them, what they are answered, and who is told (contract.md, sections 5 and 7). */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { createUnregisteredDevicesRepository } from '../../src/devices/unregistered-devices.repository.ts';
import type { Answer } from '../support/client.ts';
import {
  apply,
  configOf,
  createProfile,
  FACTORY,
  FRIDGE,
  jobOf,
  register,
  registerMany,
  report,
} from '../support/fleet.ts';
import {
  ago,
  asset,
  assetId,
  beginWithLogger,
  dms,
  history,
  historyOf,
  MINUTE_MS,
  newLogger,
  newSerial,
  org,
  outcome,
  reading,
  send,
  serial,
  series,
  timesOf,
} from './harness.ts';

const DAY_MINUTES = 1_440;

describe('Measurements', () => {
  beginWithLogger();

  describe('sent', () => {
    it('are in the history when they were acknowledged', async () => {
      const measuredAt = ago(1);
      const { status, body } = await send([reading({ measuredAt })]);
      const empty = { accepted: 1, duplicates: 0, pendingConfig: null };
      assert.deepEqual({ status, body }, { status: 202, body: empty });
      const { items, nextCursor } = await history();
      const [{ receivedAt, ...item }] = items;
      assert.ok(Math.abs(Date.parse(receivedAt) - Date.now()) < 10_000);
      assert.deepEqual(item, {
        channel: 1,
        position: 'probe',
        type: 'temperature',
        value: 4.2,
        unit: '°C',
        measuredAt,
        late: false,
      });
      assert.deepEqual([items.length, nextCursor], [1, null]);
    });

    it('twice are stored once, and the second time count as duplicates', async () => {
      const readings = series(3);
      assert.deepEqual(outcome(await send(readings)), { accepted: 3, duplicates: 0 });
      assert.deepEqual(outcome(await send(readings)), { accepted: 0, duplicates: 3 });
      assert.deepEqual(outcome(await send([...readings, reading({ measuredAt: ago(9) })])), {
        accepted: 1,
        duplicates: 3,
      });
      assert.equal((await history()).items.length, 4);
    });

    it('twice in one frame are stored once, as they were said first', async () => {
      const measuredAt = ago(2);
      const same = [reading({ measuredAt, value: 1 }), reading({ measuredAt, value: 2 })];
      assert.deepEqual(outcome(await send(same)), { accepted: 1, duplicates: 1 });
      assert.deepEqual(
        (await history()).items.map(({ value }: { value: number }) => value),
        [1],
      );
    });

    it('of several channels at one time are all kept', async () => {
      const measuredAt = ago(2);
      const channels = [1, 2, 3, 4, 5, 6].map((channel) => reading({ channel, measuredAt }));
      assert.deepEqual(outcome(await send(channels)), { accepted: 6, duplicates: 0 });
      const { items } = await history();
      assert.deepEqual(
        items.map(({ channel }: { channel: number }) => channel),
        [6, 5, 4, 3, 2, 1],
      );
    });

    it('keep the value of every type as it was sent', async () => {
      const sent = [
        { channel: 1, type: 'current_precise', value: 19.999 },
        { channel: 2, type: 'pulse_count_wide_major', value: 268_435_455_000_000 },
        { channel: 3, type: 'temperature', value: -273.2 },
        { channel: 4, type: 'percentage', value: 0.01 },
        { channel: 5, type: 'flooding', value: 0 },
        { channel: 6, type: 'resistance', value: 1e300 },
      ];
      assert.equal((await send(sent.map((each) => ({ ...reading(), ...each })))).status, 202);
      const { items } = await history();
      assert.deepEqual(
        items
          .toReversed()
          .map(({ channel, type, value }: Record<string, unknown>) => ({ channel, type, value })),
        sent,
      );
    });

    it('with a time that no logger can have measured at are left out, the others are stored', async () => {
      const good = [
        reading({ measuredAt: '2015-01-01T00:00:00Z' }),
        reading({ measuredAt: ago(-DAY_MINUTES + 1) }),
      ];
      const bad = [
        '1970-01-01T00:00:00Z',
        '2014-12-31T23:59:59.999Z',
        ago(-DAY_MINUTES - 1),
        '9999-12-31T23:59:59Z',
      ];
      const sent = [...bad.map((measuredAt) => reading({ measuredAt })), ...good];
      assert.deepEqual(outcome(await send(sent)), { accepted: 2, duplicates: 0 });
      assert.equal((await history()).items.length, 2);
    });

    it('of nothing but such times are acknowledged all the same: sending them again would not help', async () => {
      assert.deepEqual(outcome(await send([reading({ measuredAt: '1970-01-01T00:00:00Z' })])), {
        accepted: 0,
        duplicates: 0,
      });
    });

    it('of years ago find a place, month by month', async () => {
      const years = [2015, 2019, 2023].map((year) => reading({ measuredAt: `${year}-02-28T23:59:59.000Z` }));
      assert.deepEqual(outcome(await send(years)), { accepted: 3, duplicates: 0 });
      assert.deepEqual(timesOf((await history('?to=2016-01-01T00:00:00Z')).items), [
        '2015-02-28T23:59:59.000Z',
      ]);
    });

    it('are marked late when they are older than a day, or not newer than what is known of their channel', async () => {
      const lateOf = async () =>
        Object.fromEntries(
          (await history()).items.map((each: { value: number; late: boolean }) => [each.value, each.late]),
        );
      await send([reading({ value: 1, measuredAt: ago(10) }), reading({ value: 2, measuredAt: ago(20) })]);
      assert.deepEqual(await lateOf(), { 1: false, 2: false });
      await send([reading({ value: 3, measuredAt: ago(15) }), reading({ value: 4, measuredAt: ago(5) })]);
      await send([reading({ value: 5, measuredAt: ago(DAY_MINUTES + 1), channel: 2 })]);
      await send([reading({ value: 6, measuredAt: ago(DAY_MINUTES - 1), channel: 3 })]);
      assert.deepEqual(await lateOf(), { 1: false, 2: false, 3: true, 4: false, 5: true, 6: false });
    });

    it('by an unknown serial are 404, and noted for the operator', async () => {
      const { status, body } = await send([reading()], {}, 'STRANGER');
      assert.equal(status, 404);
      assert.match(body.message, /No active device/);
      const rows = await query(
        dms.service.sql,
        'select 1 from unregistered_devices where organization_id = ?',
        [org.id],
      );
      assert.equal(rows.length, 1);
    });

    it('by the serial of an archived asset, or of another organization, are 404', async () => {
      const other = await dms.addOrganization();
      const path = `/devices/${serial}/measurements`;
      assert.equal((await other.device.post(path, { readings: [reading()] })).status, 404);
      await org.api.delete(`/assets/${assetId}`);
      assert.equal((await send([reading()])).status, 404);
    });

    it('by serials compared without case belong to the one asset', async () => {
      await send([reading()], {}, serial.toUpperCase());
      await send([reading({ measuredAt: ago(3) })], {}, serial.toLowerCase());
      assert.equal((await history()).items.length, 2);
    });

    it('in a frame with one fault are refused together, with the place of the fault', async () => {
      const faults: Array<[object, RegExp]> = [
        [reading({ channel: 0 }), /^readings\[1\]\.channel must be/],
        [reading({ channel: 7 }), /^readings\[1\]\.channel must be/],
        [reading({ channel: 1.5 }), /^readings\[1\]\.channel must be/],
        [reading({ channel: 'top' }), /^readings\[1\]\.channel must be/],
        [reading({ channel: 'probe', type: 'humidity' }), /^readings\[1\]\.channel must be a number/],
        [reading({ type: 'Temperature' }), /^readings\[1\]\.type must be/],
        [reading({ type: 1 }), /^readings\[1\]\.type must be/],
        [reading({ value: null }), /^readings\[1\]\.value must be/],
        [reading({ measuredAt: '2026-03-02T08:15:30' }), /^readings\[1\]\.measuredAt must be/],
        [reading({ measuredAt: '2026-02-29T08:15:30Z' }), /^readings\[1\]\.measuredAt must be/],
        [reading({ note: '{{#x}}' }), /^readings\[1\]\.note is not allowed/],
        [{}, /^readings\[1\]\.channel must be/],
        [[], /^readings\[1\] must be an object/],
      ];
      for (const [fault, message] of faults) {
        const { status, body } = await send([reading(), fault]);
        assert.equal(status, 400, JSON.stringify(fault));
        assert.match(body.message, message);
      }
      assert.deepEqual((await history()).items, []);
    });

    it('are at least one and at most a thousand', async () => {
      assert.equal((await send([])).status, 400);
      assert.equal((await send(series(1_001))).status, 400);
      assert.deepEqual(outcome(await send(series(1_000))), { accepted: 1_000, duplicates: 0 });
    });

    it('beside a signal, a battery or times that cannot be are refused', async () => {
      for (const more of [
        { signal: 64 },
        { signal: 100 },
        { signal: -1 },
        { batteryStatus: 'unknown' },
        { configHash: -1 },
        { nextTransmissionAt: 'soon' },
        { nextTransmissionAt: '2026-03-02' },
      ]) {
        assert.equal((await send([reading()], more)).status, 400, JSON.stringify(more));
      }
    });
  });

  describe('of a position', () => {
    const placesOf = async () =>
      (await history()).items
        .toReversed()
        .map(({ channel, position }: { channel: number; position: string | null }) => [channel, position]);
    const sendBoth = (measuredAt = ago(1)) =>
      send([
        reading({ channel: 'ambient', measuredAt }),
        reading({ channel: 'probe', measuredAt }),
        reading({ channel: 2, type: 'humidity', measuredAt }),
      ]);

    it('are of the first and of the last temperature channel of a product line that is known', async () => {
      await newLogger({ model: 'TVO-THT' });
      assert.deepEqual(outcome(await sendBoth()), { accepted: 3, duplicates: 0 });
      assert.deepEqual(await placesOf(), [
        [1, 'ambient'],
        [2, null],
        [3, 'probe'],
      ]);
    });

    it('are of channel 1 where the layout is unknown: each of them means it', async () => {
      await send([reading({ channel: 'ambient', measuredAt: ago(2) })]);
      await send([reading({ channel: 'probe', measuredAt: ago(1) })]);
      assert.deepEqual(await placesOf(), [
        [1, 'probe'],
        [1, 'probe'],
      ]);
    });

    it('are of a channel each once both are named together, beside the channels that have numbers', async () => {
      assert.deepEqual(outcome(await sendBoth()), { accepted: 3, duplicates: 0 });
      await send([reading({ channel: 'probe', measuredAt: ago(0.5) })]);
      assert.deepEqual(await placesOf(), [
        [1, 'ambient'],
        [2, null],
        [3, 'probe'],
        [3, 'probe'],
      ]);
    });

    it('are where the device showed its channels', async () => {
      await query(
        dms.service.sql,
        `update device_configs set reported_channel_types = '{2,1,1,0,0,0}' where asset_id = ?`,
        [assetId],
      );
      const measuredAt = ago(1);
      await send([reading({ channel: 'ambient', measuredAt }), reading({ channel: 'probe', measuredAt })]);
      assert.deepEqual(await placesOf(), [
        [2, 'ambient'],
        [3, 'probe'],
      ]);
    });
  });

  describe('and their asset', () => {
    it('which is online from the first frame on, and shows its newest reading', async () => {
      assert.deepEqual([(await asset()).status, (await asset()).lastReadingAt], ['new', null]);
      const measuredAt = ago(2);
      await send([reading({ measuredAt: ago(5) }), reading({ measuredAt })]);
      await send([reading({ measuredAt: ago(60) })]);
      const { status, lastReadingAt } = await asset();
      assert.deepEqual([status, lastReadingAt], ['online', measuredAt]);
    });

    it('shows the battery and the signal that a frame told last, and keeps them when one tells nothing', async () => {
      const seen = async () => {
        const { batteryStatus, signalStrength } = await asset();
        return [batteryStatus, signalStrength];
      };
      await send([reading()]);
      assert.deepEqual(await seen(), ['unknown', 'unknown']);
      await send([reading({ measuredAt: ago(3) })], { batteryStatus: 'low', signal: 9 });
      assert.deepEqual(await seen(), ['low', 'poor']);
      await send([reading({ measuredAt: ago(4) })]);
      assert.deepEqual(await seen(), ['low', 'poor']);
      await send([reading({ measuredAt: ago(5) })], { batteryStatus: 'ok', signal: 25 });
      assert.deepEqual(await seen(), ['ok', 'good']);
      await send([reading({ measuredAt: ago(6) })], { signal: 99 });
      assert.deepEqual(await seen(), ['ok', 'unknown']);
      const { items } = (await org.api.get('/assets')).body;
      assert.deepEqual([items[0].status, items[0].batteryStatus], ['online', 'ok']);
    });

    it('is expected after its next transmission and a grace of the interval that it runs, at least ten minutes', async () => {
      const expectedIn = async () => {
        const [row] = await query<{ at: Date | null }>(
          dms.service.sql,
          'select expected_by as at from device_states where asset_id = ?',
          [assetId],
        );
        return row?.at && Math.round((row.at.getTime() - Date.now()) / MINUTE_MS);
      };
      await send([reading()]);
      assert.equal(await expectedIn(), null);
      await send([reading()], { nextTransmissionAt: ago(-30) });
      assert.equal(await expectedIn(), 40);
      await report(org, serial, FACTORY);
      await send([reading()]);
      assert.equal(await expectedIn(), 120);
      await send([reading()], { nextTransmissionAt: ago(-30) });
      assert.equal(await expectedIn(), 90);
      await org.api.delete(`/assets/${assetId}`);
      assert.equal(await expectedIn(), null);
    });

    it('keeps its history with new hardware, and nothing of what the old one said of itself', async () => {
      await send([reading()], { signal: 40, batteryStatus: 'low' });
      const fresh = newSerial('Logger');
      await org.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber: fresh });
      const { signalStrength, batteryStatus } = (await org.api.get(`/assets/${assetId}`)).body;
      assert.deepEqual([signalStrength, batteryStatus], ['unknown', 'unknown']);
      assert.equal((await send([reading()])).status, 404);
      await send([reading({ measuredAt: ago(3) })], {}, fresh);
      assert.equal((await history()).items.length, 2);
    });
  });

  describe('and what waits for their device', () => {
    beforeEach(async () => {
      await createProfile(org, FRIDGE);
    });

    it('is handed out with the answer, and counts as fetched', async () => {
      await report(org, serial, FACTORY);
      const jobId = await apply(org, 'vaccine-fridge', { serialNumbers: [serial] });
      const { pendingConfig } = await configOf(org, serial);
      const { body } = await send([reading()]);
      assert.deepEqual(body.pendingConfig, { revision: 1, config: pendingConfig });
      assert.equal((await configOf(org, serial)).syncStatus, 'sent');
      assert.equal((await jobOf(org, jobId)).counts.sent, 1);
    });

    it('is handed out again with every frame until the device confirms it', async () => {
      await apply(org, 'vaccine-fridge', { serialNumbers: [serial] });
      const first = (await send([reading()])).body.pendingConfig;
      assert.deepEqual((await send([reading()])).body.pendingConfig, first);
      await report(org, serial, { ...FACTORY, ...first.config });
      assert.equal((await send([reading()])).body.pendingConfig, null);
      assert.equal((await configOf(org, serial)).syncStatus, 'applied');
    });

    it('is not handed out when the device refused it', async () => {
      await apply(org, 'vaccine-fridge', { serialNumbers: [serial] });
      await send([reading()]);
      await report(org, serial, { ...FACTORY, errors: [{ message: 'no' }] });
      assert.equal((await send([reading()])).body.pendingConfig, null);
    });

    it('is counted as fetched once, for a hundred devices at once', async () => {
      const fleet = await registerMany(org, 100, newSerial('WAITING'));
      const jobId = await apply(org, 'vaccine-fridge', { serialNumbers: fleet });
      const answers = await Promise.all(fleet.map((each) => send([reading()], {}, each)));
      assert.ok(answers.every(({ body }) => body.pendingConfig.revision === 1));
      assert.equal((await jobOf(org, jobId)).counts.sent, 100);
    });

    it('and a configuration that changed on site: the device has drifted, and what it reported stays as it was', async () => {
      await report(org, serial, { ...FACTORY, configHash: 7 });
      const before = await configOf(org, serial);
      assert.equal((await send([reading()], { configHash: 8 })).status, 202);
      assert.deepEqual(await configOf(org, serial), { ...before, syncStatus: 'drifted' });
      assert.equal((await send([reading()], { configHash: 7 })).status, 202);
      assert.deepEqual(await configOf(org, serial), before);
    });
  });

  describe('at once', () => {
    it('from two hundred devices are all stored, each with its own', async () => {
      const fleet = await registerMany(org, 200, newSerial('CROWD'));
      const answers = await Promise.all(
        fleet.map((each, index) =>
          send(series(5, { channel: 2, type: 'resistance', value: index }), {}, each),
        ),
      );
      assert.ok(answers.every((answer) => outcome(answer).accepted === 5));
      const { items } = (await org.api.get('/assets?limit=500')).body;
      for (const { id, serialNumber } of items.filter((each: { id: string }) => each.id !== assetId)) {
        const values = (await historyOf(id)).items.map(({ value }: { value: number }) => value);
        assert.deepEqual(new Set(values), new Set([Number(serialNumber.slice(-4))]));
        assert.equal(values.length, 5);
      }
    });

    it('from one device that repeats itself are stored once, and counted exactly', async () => {
      const readings = series(20);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => send(readings.slice(index % 10, 10 + (index % 10)))),
      );
      const sum = (field: 'accepted' | 'duplicates') =>
        answers.reduce((total, answer) => total + outcome(answer)[field], 0);
      assert.deepEqual([sum('accepted'), sum('duplicates')], [19, 40 * 10 - 19]);
      assert.equal((await history()).items.length, 19);
    });

    it('with registrations, applies, replacements and archiving are stored or 404, and nothing else', async () => {
      await createProfile(org, FRIDGE);
      const fleet = await registerMany(org, 30, newSerial('TURMOIL'));
      const ids = new Map<string, string>(
        (await org.api.get('/assets?limit=500')).body.items.map((each: Record<string, string>) => [
          each.serialNumber,
          each.id,
        ]),
      );
      const answers = await Promise.all(
        fleet.flatMap((each, index) => [
          send(series(3), {}, each),
          ...(index % 3 === 0 ? [org.api.delete(`/assets/${ids.get(each)}`)] : []),
          ...(index % 3 === 1
            ? [org.api.post(`/assets/${ids.get(each)}/replace-hardware`, { newSerialNumber: `${each}-B` })]
            : []),
          ...(index % 10 === 0
            ? [org.api.put('/devices/config-profiles/vaccine-fridge/apply', { applyToAll: true })]
            : []),
          send(series(3), {}, each),
        ]),
      );
      const statuses = new Set(answers.map(({ status }) => status));
      for (const status of statuses) assert.ok([200, 202, 404].includes(status), `${status}`);
    });
  });

  it('need not be sent for a device to be heard: one that reports what it runs is online', async () => {
    assert.equal((await asset()).status, 'new');
    await report(org, serial, FACTORY);
    assert.equal((await asset()).status, 'online');
  });

  it('of a serial that is registered afterwards are no longer among the unknown', async () => {
    const stray = newSerial('STRAY');
    const listed = async () =>
      (await createUnregisteredDevicesRepository(dms.service.sql).list(500)).some(
        ({ serialNumber }) => serialNumber === stray.toLowerCase(),
      );
    assert.equal((await send([reading()], {}, stray)).status, 404);
    assert.equal(await listed(), true);
    await register(org, stray);
    assert.equal(await listed(), false);
  });

  describe('and who is told of them', () => {
    const subscribe = async () =>
      (await org.api.post('/cellular-webhooks', { url: 'http://127.0.0.1:9/hooks' })).body.id as string;
    const payloads = async (webhookId: string) => {
      const { items } = (await org.api.get(`/cellular-webhooks/${webhookId}/deliveries?limit=500`)).body;
      const all = items.map(({ id }: { id: string }) =>
        org.api.get(`/cellular-webhooks/${webhookId}/deliveries/${id}`),
      );
      return (await Promise.all<Answer>(all)).map(({ body }) => body.payload);
    };

    it('is every active cellular webhook: of the frame, with the readings that are new', async () => {
      const webhookId = await subscribe();
      const readings = series(2);
      const nextTransmissionAt = ago(-60);
      await send(readings.slice(1));
      await send(readings, { batteryStatus: 'ok', signal: 40, nextTransmissionAt });
      const [{ type, timestamp, data }] = await payloads(webhookId);
      assert.equal(type, 'data.measurement');
      assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 10_000);
      assert.deepEqual(data, {
        serialNumber: serial,
        assetId,
        assetName: serial,
        batteryStatus: 'ok',
        signalStrength: 'good',
        nextTransmissionAt,
        readings: [{ ...reading(), measuredAt: timesOf(readings as never)[0], value: 0, unit: '°C' }],
      });
    });

    it('hears nothing of a frame without anything new', async () => {
      const webhookId = await subscribe();
      await send(series(2));
      await send(
        series(2)
          .slice(0, 0)
          .concat(reading({ measuredAt: '1980-01-01T00:00:00Z' })),
      );
      assert.equal((await payloads(webhookId)).length, 1);
    });

    it('is nobody: then no event is written', async () => {
      await send(series(2));
      const rows = await query(dms.service.sql, 'select 1 from events where organization_id = ?', [org.id]);
      assert.deepEqual(rows, []);
    });

    it('gets a large frame in several events below 20 kB, each reading once', async () => {
      const webhookId = await subscribe();
      await send(series(1_000));
      const all = await payloads(webhookId);
      assert.ok(all.length > 1);
      for (const payload of all) assert.ok(Buffer.byteLength(JSON.stringify(payload)) < 20_000);
      const values = all.flatMap(({ data }) => data.readings.map(({ value }: { value: number }) => value));
      assert.equal(values.length, 1_000);
      assert.equal(new Set(values).size, 1_000);
    });
  });
});
