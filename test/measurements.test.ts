/** Sections 5 and 7 of the contract: readings of devices, from the frame to the history. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { isUnavailable } from '../src/db/faults.ts';
import { createPartitionKeeper, dropPartitions, MEASUREMENTS } from '../src/db/partitions.ts';
import { query } from '../src/db/query.ts';
import { createTransact } from '../src/db/transaction.ts';
import { createUnknownDevicesRepository } from '../src/devices/unknown-devices.repository.ts';
import type { Frame } from '../src/measurements/frame.ts';
import { createIntake, type IntakeDeps } from '../src/measurements/intake.service.ts';
import { createMeasurementsRepository } from '../src/measurements/measurements.repository.ts';
import type { TakenFrame } from '../src/measurements/taken.ts';
import type { Answer } from './support/client.ts';
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
} from './support/fleet.ts';
import { newDatabase } from './support/servers.ts';
import { startService, type TestOrganization, type TestService } from './support/service.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

describe('Measurements', () => {
  let dms: TestService;
  let org: TestOrganization;
  let serial: string;
  let assetId: string;
  let serials = 0;

  before(async () => {
    dms = await startService({ withWorker: false });
  });
  after(() => dms.stop());
  beforeEach(async () => {
    org = await dms.addOrganization();
    serial = `Logger-${++serials}`;
    assetId = await register(org, serial);
  });

  const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();
  const reading = (more: object = {}) => ({
    channel: 1,
    type: 'temperature',
    value: 4.2,
    measuredAt: ago(1),
    ...more,
  });
  /** One a minute, the newest first. */
  const series = (count: number, more: object = {}) =>
    Array.from({ length: count }, (_, index) =>
      reading({ measuredAt: ago(index + 1), value: index, ...more }),
    );
  const send = (readings: object[], more: object = {}, to = serial) =>
    org.device.post(`/devices/${to}/measurements`, { readings, ...more });
  const historyOf = async (id: string, more = '') => {
    const { status, body, text } = await org.api.get(`/assets/${id}/measurements${more}`);
    assert.equal(status, 200, text);
    return body;
  };
  const history = (more = '') => historyOf(assetId, more);
  const asset = async () => (await org.api.get(`/assets/${assetId}`)).body;
  const outcome = ({ status, body }: Answer) => {
    assert.equal(status, 202, JSON.stringify(body));
    return { accepted: body.accepted, duplicates: body.duplicates };
  };
  const timesOf = (items: Array<{ measuredAt: string }>) => items.map(({ measuredAt }) => measuredAt);

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
      const rows = await query(dms.service.sql, 'select 1 from unknown_devices where organization_id = ?', [
        org.id,
      ]);
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
      serial = `Logger-${++serials}`;
      assetId = await register(org, serial, { model: 'TVO-THT' });
      assert.deepEqual(outcome(await sendBoth()), { accepted: 3, duplicates: 0 });
      assert.deepEqual(await placesOf(), [
        [1, 'ambient'],
        [2, null],
        [3, 'probe'],
      ]);
    });

    it('are of channel 1 where the layout is unknown: both mean it', async () => {
      assert.deepEqual(outcome(await sendBoth()), { accepted: 2, duplicates: 1 });
      assert.deepEqual(await placesOf(), [
        [1, 'probe'],
        [2, null],
      ]);
    });

    it('are where the device showed its channels', async () => {
      await query(
        dms.service.sql,
        `update device_configs set channel_types = '{2,1,1,0,0,0}' where asset_id = ?`,
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

    it('keeps its history with new hardware', async () => {
      await send([reading()]);
      const fresh = `Logger-${++serials}`;
      await org.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber: fresh });
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
      const fleet = await registerMany(org, 100, `WAITING-${++serials}`);
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
      const fleet = await registerMany(org, 200, `CROWD-${++serials}`);
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
      const fleet = await registerMany(org, 30, `TURMOIL-${++serials}`);
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
    const stray = `STRAY-${++serials}`;
    const listed = async () =>
      (await createUnknownDevicesRepository(dms.service.sql).list(500)).some(
        ({ serialNumber }) => serialNumber === stray.toLowerCase(),
      );
    assert.equal((await send([reading()], {}, stray)).status, 404);
    assert.equal(await listed(), true);
    await register(org, stray);
    assert.equal(await listed(), false);
  });

  describe('through the intake', () => {
    const frame = (more: Partial<Frame> = {}): Frame => ({
      organizationId: org.id,
      serialNumber: serial,
      readings: [{ channel: 1, type: 1, value: 4.2, error: null, measuredAt: new Date(ago(1)) }],
      batteryStatus: null,
      signal: null,
      configHash: null,
      nextTransmissionAt: null,
      channelTypes: null,
      receivedAt: new Date(),
      takesChange: true,
      ...more,
    });
    const intakeWith = (more: Partial<IntakeDeps> = {}) =>
      createIntake({
        transact: createTransact(dms.service.sql),
        measurementsIn: createMeasurementsRepository,
        configurationsIn: () => ({ find: async () => new Map() }),
        unknownIn: () => ({ record: async () => {} }),
        partitions: createPartitionKeeper(dms.service.sql, MEASUREMENTS),
        judge: async () => {},
        contact: async () => null,
        isCommonFault: isUnavailable,
        observe: () => {},
        ...more,
      });

    it('a frame that cannot be stored fails alone, and its neighbours are stored', async () => {
      const fleet = await registerMany(org, 20, `NEIGHBOUR-${++serials}`);
      const intake = intakeWith();
      const spoilt = { channel: 40_000, type: 1, value: 1, error: null, measuredAt: new Date(ago(1)) };
      const settled = await Promise.allSettled([
        ...fleet.slice(0, 10).map((serialNumber) => intake.receive(frame({ serialNumber }))),
        intake.receive(frame({ readings: [spoilt] })),
        ...fleet.slice(10).map((serialNumber) => intake.receive(frame({ serialNumber }))),
      ]);
      assert.deepEqual(
        settled.map((each) => (each.status === 'fulfilled' ? each.value?.accepted : each.status)),
        [...Array(10).fill(1), 'rejected', ...Array(10).fill(1)],
      );
    });

    it('frames of one device in one batch are told apart: each counts what was new with it', async () => {
      const intake = intakeWith();
      const at = (minutes: number) => ({
        channel: 1,
        type: 1,
        value: minutes,
        error: null,
        measuredAt: new Date(ago(minutes)),
      });
      const [a, b, c] = [at(3), at(2), at(1)];
      await intake.receive(frame({ readings: [a] }));
      // The first two keep both batches busy, so that the rest gathers in one.
      const strangers = [1, 2].map(() => intake.receive(frame({ serialNumber: 'STRANGER' })));
      const results = await Promise.all(
        [[a, b], [b, c], [c], [a]].map((readings) => intake.receive(frame({ readings }))),
      );
      await Promise.all(strangers);
      assert.deepEqual(
        results.map((result) => [result?.accepted, result?.duplicates]),
        [
          [1, 1],
          [1, 1],
          [0, 1],
          [0, 1],
        ],
      );
    });

    it('frames of one device in two batches at a time are all in its state', async () => {
      const measuredAt = new Date(ago(1));
      await Promise.all(
        [1, 2, 3, 4, 5, 6].map((channel) =>
          intakeWith().receive(
            frame({ readings: [{ channel, type: 1, value: 1, error: null, measuredAt }] }),
          ),
        ),
      );
      const [row] = await query<{ judged: object }>(
        dms.service.sql,
        'select judged from device_states where asset_id = ?',
        [assetId],
      );
      const at = measuredAt.getTime();
      assert.deepEqual(row?.judged, { 1: at, 2: at, 3: at, 4: at, 5: at, 6: at });
    });

    for (const [what, change] of [
      ['archived', 'archived_at = now()'],
      ['given new hardware', `serial_number = serial_number || '-B'`],
    ]) {
      it(`a frame that waits while its asset is ${what} is of an unknown device`, async () => {
        const trx = await dms.service.sql.transaction();
        await query(trx, `update assets set ${change} where id = ?`, [assetId]);
        await query(trx, 'update device_states set expected_by = null where asset_id = ?', [assetId]);
        const result = intakeWith().receive(frame());
        await sleep(100);
        await trx.commit();
        assert.equal(await result, null);
      });
    }

    it('large frames are spread over batches, and all stored', async () => {
      const batches: number[] = [];
      const intake = intakeWith({
        measurementsIn: (sql) => {
          const repository = createMeasurementsRepository(sql);
          return {
            ...repository,
            store(sent, states) {
              batches.push(sent.reduce((total, { readings }) => total + readings.length, 0));
              return repository.store(sent, states);
            },
          };
        },
      });
      const readings = (start: number) =>
        Array.from({ length: 1_000 }, (_, index) => ({
          channel: 1,
          type: 1,
          value: 1,
          error: null,
          measuredAt: new Date(Date.now() - (start + index) * 1_000),
        }));
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          intake.receive(frame({ readings: readings(index * 1_000) })),
        ),
      );
      assert.equal(
        results.reduce((total, result) => total + (result?.accepted ?? 0), 0) +
          results.reduce((total, result) => total + (result?.duplicates ?? 0), 0),
        50_000,
      );
      assert.ok(Math.max(...batches) <= 20_000, `${Math.max(...batches)} readings in one batch`);
    });

    it('a sensor error is kept with its code, and is no reading of its asset', async () => {
      const error = { channel: 1, type: 1, value: null, error: 8_388_557, measuredAt: new Date(ago(1)) };
      await intakeWith().receive(frame({ readings: [error] }));
      const [item] = (await history()).items;
      assert.deepEqual([item.value, item.error], [null, 8_388_557]);
      assert.equal((await asset()).lastReadingAt, null);
    });

    it('who judges learns what is new alone, and that a missing device came back', async () => {
      await query(dms.service.sql, `update device_states set status = 'offline' where asset_id = ?`, [
        assetId,
      ]);
      const judged: TakenFrame[] = [];
      const intake = intakeWith({ judge: async (_, taken) => void judged.push(...taken) });
      const same = frame();
      await intake.receive(same);
      await intake.receive(same);
      assert.deepEqual(
        judged.map(({ cameBack, fresh }) => [cameBack, fresh.length]),
        [
          [true, 1],
          [false, 0],
        ],
      );
    });

    it('nothing is stored when what follows from it fails', async () => {
      const intake = intakeWith({ judge: () => Promise.reject(new Error('no')) });
      await assert.rejects(() => intake.receive(frame()) as Promise<unknown>, /no/);
      assert.deepEqual((await history()).items, []);
      assert.equal((await asset()).status, 'new');
    });

    it('a frame is acknowledged when it is stored, even if the change that waits cannot be handed out', async () => {
      await createProfile(org, FRIDGE);
      await apply(org, 'vaccine-fridge', { serialNumbers: [serial] });
      const away = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
      const result = await intakeWith({ contact: () => Promise.reject(away) }).receive(frame());
      assert.deepEqual([result?.accepted, result?.pendingConfig], [1, null]);
    });

    it('a hash that is not the one of the last report asks for a report, and so does the first one', async () => {
      const hashes = async (configHash: number | null) =>
        (await intakeWith().receive(frame({ configHash })))?.wantsReport;
      assert.deepEqual([await hashes(8), await hashes(null)], [true, false]);
      await report(org, serial, { ...FACTORY, configHash: 7 });
      assert.deepEqual([await hashes(7), await hashes(8), await hashes(null)], [false, true, false]);
    });

    it('a month that another process dropped is made anew', async () => {
      const intake = intakeWith();
      const old = (day: number) => ({
        channel: 1,
        type: 1,
        value: 1,
        error: null,
        measuredAt: new Date(Date.UTC(2016, 4, day)),
      });
      await intake.receive(frame({ readings: [old(1)] }));
      await query(dms.service.sql, 'drop table measurements_201605');
      assert.equal((await intake.receive(frame({ readings: [old(2)] })))?.accepted, 1);
    });

    it('a new month is made by many at once', async () => {
      const readings = [
        { channel: 1, type: 1, value: 1, error: null, measuredAt: new Date(Date.UTC(2016, 7, 1)) },
      ];
      const fleet = await registerMany(org, 10, `MONTH-${++serials}`);
      const results = await Promise.all(
        fleet.map((serialNumber) => intakeWith().receive(frame({ serialNumber, readings }))),
      );
      assert.ok(results.every((result) => result?.accepted === 1));
    });

    it('months that ended before the retention are dropped, with what was measured then', async () => {
      const intake = intakeWith();
      const at = (month: number) => ({
        channel: 1,
        type: 1,
        value: month,
        error: null,
        measuredAt: new Date(Date.UTC(2017, month, 15)),
      });
      await intake.receive(frame({ readings: [at(0), at(1), at(2)] }));
      const dropped = await dropPartitions(dms.service.sql, MEASUREMENTS, new Date(Date.UTC(2017, 2, 20)));
      assert.deepEqual(dropped.slice(-2), ['measurements_201701', 'measurements_201702']);
      assert.deepEqual(
        (await history()).items.map(({ value }: { value: number }) => value),
        [2],
      );
    });
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
      const rows = await query(dms.service.sql, 'select 1 from webhook_events where organization_id = ?', [
        org.id,
      ]);
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

  describe('read', () => {
    it('are none where nothing was measured', async () => {
      assert.deepEqual(await history(), { items: [], nextCursor: null });
    });

    it('are there once each, newest first, over all pages', async () => {
      const measuredAt = ago(30);
      await send([...series(5), ...[1, 2, 3].map((channel) => reading({ channel, measuredAt }))]);
      const all = (await history()).items;
      assert.equal(all.length, 8);
      assert.deepEqual(timesOf(all), timesOf(all).toSorted().toReversed());
      for (const limit of [1, 2, 3, 7, 8, 9]) {
        const items: object[] = [];
        let cursor: string | null = null;
        do {
          const page: { items: object[]; nextCursor: string | null } = await history(
            `?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`,
          );
          items.push(...page.items);
          cursor = page.nextCursor;
        } while (cursor !== null);
        assert.deepEqual(items, all, `pages of ${limit}`);
      }
    });

    it('name the next page in Link', async () => {
      await send(series(3));
      const { headers } = await org.api.get(`/assets/${assetId}/measurements?limit=2&channel=1`);
      const link = /^<([^>]+)>; rel="next"$/.exec(String(headers.link))?.[1];
      const { body } = await org.api.get(String(link));
      assert.deepEqual([body.items.length, body.nextCursor], [1, null]);
    });

    it('are those from a time on, and before another one', async () => {
      const readings = series(4);
      await send(readings);
      const [, second, third] = timesOf(readings as never) as [string, string, string];
      const between = async (bounds: string) => timesOf((await history(bounds)).items);
      assert.deepEqual(await between(`?from=${third}&to=${second}`), [third]);
      assert.deepEqual(await between(`?from=${second}`), timesOf(readings as never).slice(0, 2));
      assert.deepEqual(await between(`?from=${second}&to=${second}`), []);
    });

    it('take times in any zone', async () => {
      await send([reading({ measuredAt: '2026-03-02T08:15:30+01:00' })]);
      const from = encodeURIComponent('2026-03-02T12:45:30+05:30');
      assert.deepEqual(timesOf((await history(`?from=${from}`)).items), ['2026-03-02T07:15:30.000Z']);
    });

    it('are those of one channel', async () => {
      const measuredAt = ago(1);
      await send([1, 2].map((channel) => reading({ channel, measuredAt })));
      const { items } = await history('?channel=2');
      assert.deepEqual(
        items.map(({ channel }: { channel: number }) => channel),
        [2],
      );
    });

    it('with a query that cannot be meant are 400', async () => {
      const bad = [
        'channel=0',
        'channel=7',
        'channel=probe',
        'limit=0',
        'limit=501',
        'from=yesterday',
        'from=0000-01-01T00:00Z',
        'x=1',
      ];
      for (const text of [
        ...bad,
        'cursor=',
        'cursor=x',
        'cursor=MTIz',
        `cursor=${assetId}`,
        'to=2026-02-30T00:00Z',
      ]) {
        const { status } = await org.api.get(`/assets/${assetId}/measurements?${text}`);
        assert.equal(status, 400, text);
      }
    });

    it('of an asset that is archived are 404 like the asset', async () => {
      await send([reading()]);
      await org.api.delete(`/assets/${assetId}`);
      assert.equal((await org.api.get(`/assets/${assetId}/measurements`)).status, 404);
    });
  });

  describe('as a table', () => {
    const COLUMNS = 'channel,position,type,value,unit,measuredAt,receivedAt,late,error';
    const table = (more = '', accept = 'text/csv') =>
      org.api.get(`/assets/${assetId}/measurements${more}`, { headers: { accept } });

    it('have the columns of the list, and all that was measured, whatever the limit', async () => {
      await send(series(1_000));
      await send(series(1_000, { channel: 2 }));
      await send(series(1_000, { channel: 3, type: 'humidity' }));
      const { status, headers, text } = await table('?limit=5');
      assert.equal(status, 200);
      assert.match(String(headers['content-type']), /^text\/csv/);
      const [header, ...lines] = text.split('\r\n');
      assert.equal(header, COLUMNS);
      assert.equal(lines.pop(), '');
      assert.equal(new Set(lines).size, 3_000);
      const { items } = await history('?limit=1');
      const [item] = items;
      assert.equal(lines[0], `3,,humidity,${item.value},%,${item.measuredAt},${item.receivedAt},false,`);
    });

    it('keep to the range and the channel that were asked for', async () => {
      const readings = series(4);
      await send([...readings, reading({ channel: 2 })]);
      const [, second] = timesOf(readings as never);
      const { text } = await table(`?from=${second}&channel=1`);
      assert.equal(text.trim().split('\r\n').length, 1 + 2);
    });

    it('without anything measured are a header', async () => {
      assert.equal((await table()).text, `${COLUMNS}\r\n`);
    });

    it('are given to who prefers them, and JSON to everybody else', async () => {
      for (const accept of [
        'text/csv',
        'text/*',
        'text/csv, */*',
        'application/json;q=0.5, text/csv',
        'TEXT/CSV, */*;q=0.1',
      ]) {
        assert.match(String((await table('', accept)).headers['content-type']), /^text\/csv/, accept);
      }
      for (const accept of ['*/*', 'application/json', 'text/csv;q=0.5, application/json', 'text/html']) {
        assert.match(String((await table('', accept)).headers['content-type']), /^application\/json/, accept);
      }
    });

    it('of an asset of another organization are 404', async () => {
      const other = await dms.addOrganization();
      const path = `/assets/${assetId}/measurements`;
      assert.equal((await other.api.get(path, { headers: { accept: 'text/csv' } })).status, 404);
    });
  });
});

describe('Measurements and a database that goes away', () => {
  let dms: TestService;
  let assetId: string;
  let proxy: Awaited<ReturnType<typeof startProxy>>;

  before(async () => {
    const url = new URL(await newDatabase());
    proxy = await startProxy(Number(url.port), url.hostname);
    url.port = String(proxy.port);
    url.hostname = '127.0.0.1';
    dms = await startService({ withWorker: false, databaseUrl: url.href });
    assetId = await register(dms, 'LOGGER');
  });
  after(async () => {
    await dms.stop();
    await proxy.stop();
  });

  const measuredAt = new Date(Date.now() - MINUTE_MS).toISOString();
  const send = () =>
    dms.device.post('/devices/LOGGER/measurements', {
      readings: [{ channel: 1, type: 'temperature', value: 4.2, measuredAt }],
    });

  it('are refused with 503 and a time to come again, and stored as soon as it is back', async () => {
    await dms.device.get('/devices/LOGGER/pending-config');
    proxy.cut();
    const refused = await send();
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    proxy.restore();
    let answer = await send();
    while (answer.status === 503) {
      await sleep(100);
      answer = await send();
    }
    assert.deepEqual(answer.body, { accepted: 1, duplicates: 0, pendingConfig: null });
  });

  it('as a table break off, so that nobody takes the half for the whole', async () => {
    await createPartitionKeeper(dms.service.sql, MEASUREMENTS).ensure([
      new Date(Date.now() - 40 * 86_400_000),
    ]);
    await query(
      dms.service.sql,
      `insert into measurements (asset_id, measured_at, received_at, value, channel, type, late)
       select ?, now() - make_interval(secs => g), now(), g, 2, 1, false from generate_series(1, 200000) g
       on conflict do nothing`,
      [assetId],
    );
    const { token } = await dms.issueKey(dms.id, 'customer');
    const { body, statusCode } = await request(`${dms.baseUrl}/assets/${assetId}/measurements`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/csv' },
    });
    assert.equal(statusCode, 200);
    const chunks = body[Symbol.asyncIterator]();
    await chunks.next();
    proxy.cut();
    await assert.rejects(async () => {
      for (let next = await chunks.next(); !next.done; ) next = await chunks.next();
    });
    proxy.restore();
  });
});

/** Between the service and its database; cut, it breaks all connections and takes no new ones. */
async function startProxy(targetPort: number, targetHost: string) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((inner) => {
    if (isCut) return void inner.destroy();
    const outer = connect(targetPort, targetHost);
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    inner.pipe(outer).pipe(inner);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    restore: () => {
      isCut = false;
    },
    async stop() {
      cut();
      server.close();
    },
  };
}
