/** Frames as devices send them over HTTP, and the stored result. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import {
  createUnregisteredContactsRepository,
  createUnregisteredDevicesRepository,
} from '../../src/devices/unregistered-devices.repository.ts';
import { listAll } from '../support/client.ts';
import { apply, configOf, createProfile, FRIDGE, register, registerMany } from '../support/fleet.ts';
import { ago, reading, series } from './fixtures.ts';
import { countsOf, useLogger } from './harness.ts';

const DAY_MINUTES = 1_440;

describe('A reading that is sent', () => {
  const logger = useLogger();
  const { history, historyOf, newSerial, send } = logger;

  it('shows a reading in the history once it is acknowledged', async () => {
    const measuredAt = ago(1);
    const { status, body } = await send([reading({ measuredAt })]);
    const empty = { accepted: 1, duplicates: 0, conflicts: 0, pendingConfig: null };
    assert.deepEqual({ status, body }, { status: 202, body: empty });
    const { items, nextCursor } = await history();
    const [{ receivedAt, ...item }] = items;
    assert.ok(Math.abs(Date.parse(receivedAt) - Date.now()) < 5 * 60_000);
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

  it('keeps the first value of a second when another value or type comes for it, and counts a conflict', async () => {
    const sent = series(3);
    await send(sent);
    const { body } = await send(sent.map((each) => ({ ...each, value: 12 })));
    assert.deepEqual([body.accepted, body.duplicates, body.conflicts], [0, 0, 3]);
    const [first] = sent;
    const other = await send([{ ...first, type: 'humidity' }]);
    assert.deepEqual([other.body.duplicates, other.body.conflicts], [0, 1]);
    assert.deepEqual(
      (await history()).items.map(({ type, value }: { type: string; value: number }) => [type, value]),
      [0, 1, 2].map((value) => ['temperature', value]),
    );
  });

  it('keeps the newest sample as stored when a fast clock has stamped it and another value comes', async () => {
    const measuredAt = ago(-30);
    await send([reading({ measuredAt, value: 5 })]);
    assert.equal((await send([reading({ measuredAt, value: 12 })])).body.conflicts, 1);
    assert.equal((await logger.asset()).latest[0].value, 5);
  });

  it('refuses two types on one channel in one request, by number and by position', async () => {
    for (const channel of [1, 'probe']) {
      const { status, body } = await send([
        reading({ channel, measuredAt: ago(2) }),
        reading({ type: 'humidity', value: 44 }),
      ]);
      assert.equal(status, 400);
      assert.match(body.message, /^readings\[1\]\.type must be temperature, as in readings\[0\]/);
    }
    assert.deepEqual((await history()).items, []);
    assert.equal((await logger.asset()).status, 'new');
  });

  it('stores the exact value of a reading, for any type', async () => {
    const sent = [
      { channel: 1, type: 'current_precise', value: 19.999 },
      { channel: 2, type: 'pulse_count_wide_major', value: 999_999_000_000 },
      { channel: 3, type: 'temperature', value: -273.2 },
      { channel: 4, type: 'percentage', value: 0.01 },
      { channel: 5, type: 'flooding', value: 0 },
      { channel: 6, type: 'resistance', value: 100_000 / 3 },
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

  it('acknowledges a frame with only implausible times, because sending it again would not help', async () => {
    assert.deepEqual(countsOf(await send([reading({ measuredAt: '1970-01-01T00:00:00Z' })])), {
      accepted: 0,
      duplicates: 0,
    });
  });

  it('marks a reading late when it is older than a day, or not newer than the newest of its channel', async () => {
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

  it('finds the asset of a serial in any case', async () => {
    await send([reading()], {}, logger.serial.toUpperCase());
    await send([reading({ measuredAt: ago(3) })], {}, logger.serial.toLowerCase());
    assert.equal((await history()).items.length, 2);
  });

  it('refuses a frame with one invalid reading, and names the position of the reading', async () => {
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

  it('accepts frames of one to a thousand readings', async () => {
    assert.equal((await send([])).status, 400);
    assert.equal((await send(series(1_001))).status, 400);
    assert.deepEqual(countsOf(await send(series(1_000))), { accepted: 1_000, duplicates: 0 });
  });

  it('refuses a frame with an invalid signal, battery status, hash or next transmission', async () => {
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

  it('stores the readings of thirty concurrent devices, each with its own asset', async () => {
    const fleet = await registerMany(logger.org, 30, newSerial('CROWD'));
    const answers = await Promise.all(
      fleet.map((each, index) => send(series(5, { channel: 2, type: 'resistance', value: index }), {}, each)),
    );
    assert.ok(answers.every((answer) => countsOf(answer).accepted === 5));
    const { items } = (await logger.org.api.get('/assets?limit=500')).body;
    for (const { id, serialNumber } of items.filter((each: { id: string }) => each.id !== logger.assetId)) {
      const values = (await historyOf(id)).items.map(({ value }: { value: number }) => value);
      assert.deepEqual(new Set(values), new Set([Number(serialNumber.slice(-4))]));
      assert.equal(values.length, 5);
    }
  });

  it('stores a reading once and counts exactly when concurrent frames repeat it', async () => {
    const readings = series(20);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => send(readings.slice(index % 10, 10 + (index % 10)))),
    );
    const sum = (field: 'accepted' | 'duplicates') =>
      answers.reduce((total, answer) => total + countsOf(answer)[field], 0);
    assert.deepEqual([sum('accepted'), sum('duplicates')], [19, 40 * 10 - 19]);
    assert.equal((await history()).items.length, 19);
  });

  it('stores frames or answers 404 during concurrent applies, replacements and archiving', async () => {
    await createProfile(logger.org, FRIDGE);
    const fleet = await registerMany(logger.org, 30, newSerial('TURMOIL'));
    const ids = new Map<string, string>(
      (await logger.org.api.get('/assets?limit=500')).body.items.map((each: Record<string, string>) => [
        each.serialNumber,
        each.id,
      ]),
    );
    const answers = await Promise.all(
      fleet.flatMap((each, index) => [
        send(series(3), {}, each),
        ...(index % 3 === 0 ? [logger.org.api.delete(`/assets/${ids.get(each)}`)] : []),
        ...(index % 3 === 1
          ? [
              logger.org.api.post(`/assets/${ids.get(each)}/replace-hardware`, {
                newSerialNumber: `${each}-B`,
              }),
            ]
          : []),
        // An organization may run two applies to all devices at once.
        ...(index % 15 === 0
          ? [logger.org.api.put('/devices/config-profiles/vaccine-fridge/apply', { applyToAll: true })]
          : []),
        send(series(3), {}, each),
      ]),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    for (const status of statuses) assert.ok([200, 202, 404].includes(status), `${status}`);
  });

  describe('of a position', () => {
    const { newLogger } = logger;

    const positionsOf = async () =>
      (await history()).items
        .toReversed()
        .map(({ channel, position }: { channel: number; position: string | null }) => [channel, position]);
    const sendBoth = (measuredAt = ago(1)) =>
      send([
        reading({ channel: 'ambient', measuredAt }),
        reading({ channel: 'probe', measuredAt }),
        reading({ channel: 2, type: 'humidity', measuredAt }),
      ]);

    it('resolves positions to the first and the last temperature channel of a known product line', async () => {
      await newLogger({ model: 'TVO-THT' });
      assert.deepEqual(countsOf(await sendBoth()), { accepted: 3, duplicates: 0 });
      assert.deepEqual(await positionsOf(), [
        [1, 'ambient'],
        [2, null],
        [3, 'probe'],
      ]);
    });

    it('gives each position its own channel once a frame names both', async () => {
      assert.deepEqual(countsOf(await sendBoth()), { accepted: 3, duplicates: 0 });
      await send([reading({ channel: 'probe', measuredAt: ago(0.5) })]);
      assert.deepEqual(await positionsOf(), [
        [1, 'ambient'],
        [2, null],
        [3, 'probe'],
        [3, 'probe'],
      ]);
    });

    it('follows temperatures on numbered channels, as in the frames of a logger', async () => {
      const slug = await createProfile(logger.org, FRIDGE);
      await apply(logger.org, slug, { serialNumbers: [logger.serial] });
      const slots = async () =>
        (await configOf(logger.org, logger.serial)).pendingConfig.alarmRules
          .slice(0, 2)
          .map(({ slotNumbers }: { slotNumbers: number[] }) => slotNumbers);
      await send([reading({ channel: 1, measuredAt: ago(4) })]);
      assert.deepEqual(await slots(), [[0], [0]]);
      await send([
        reading({ channel: 1, measuredAt: ago(3) }),
        reading({ channel: 2, type: 'humidity', measuredAt: ago(3) }),
        reading({ channel: 3, measuredAt: ago(3) }),
      ]);
      assert.deepEqual(await slots(), [[2], [2]]);
      await send([
        reading({ channel: 1, measuredAt: ago(2) }),
        reading({ channel: 'probe', measuredAt: ago(2) }),
      ]);
      assert.deepEqual(await positionsOf(), [
        [1, 'ambient'],
        [1, 'ambient'],
        [2, null],
        [3, 'probe'],
        [1, 'ambient'],
        [3, 'probe'],
      ]);
    });

    it('resolves positions to the channels that the device has reported', async () => {
      await query(
        logger.dms.service.sql,
        `update device_configs set reported_channel_types = '{2,1,1,0,0,0}' where asset_id = ?`,
        [logger.assetId],
      );
      const measuredAt = ago(1);
      await send([reading({ channel: 'ambient', measuredAt }), reading({ channel: 'probe', measuredAt })]);
      assert.deepEqual(await positionsOf(), [
        [2, 'ambient'],
        [3, 'probe'],
      ]);
    });
  });
});

describe('The list of unregistered devices', () => {
  const logger = useLogger();
  const { newSerial, send } = logger;

  it('lists a serial as unregistered until it is registered', async () => {
    const serialNumber = newSerial('UNREGISTERED');
    const listed = async () =>
      (await createUnregisteredDevicesRepository(logger.dms.service.sql).list(500)).some(
        (device) => device.serialNumber === serialNumber.toLowerCase(),
      );
    const { status, body } = await send([reading()], {}, serialNumber);
    assert.equal(status, 404);
    assert.match(body.message, /No active device/);
    assert.equal(await listed(), true);
    await register(logger.org, serialNumber);
    assert.equal(await listed(), false);
  });

  const PLACES = 1_000;
  /** As one batch of messages. */
  const record = (serialNumbers: string[]) =>
    createUnregisteredContactsRepository(logger.dms.service.sql).record(
      serialNumbers.map((serialNumber) => ({ organizationId: logger.org.id, serialNumber })),
    );
  const numbered = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, '0')}`);
  /** Contacts by serial number, from all pages. */
  async function countsListed(): Promise<Map<string, number>> {
    const items = await listAll(logger.org.api, '/unregistered-devices?limit=500');
    return new Map(items.map(({ serialNumber, count }) => [serialNumber, count]));
  }

  it('lists the next serial at once when all that filled the list are registered', async () => {
    await record(numbered(PLACES, 'FULL'));
    await send([reading()], {}, 'NEXT');
    assert.equal((await countsListed()).get('next'), undefined, 'the list is full');
    await registerMany(logger.org, PLACES, 'FULL');
    await send([reading()], {}, 'NEXT');
    assert.deepEqual([...(await countsListed())], [['next', 1]]);
  });

  it('lists a thousand serials at most, however many come at once, and goes on counting their contacts', async () => {
    await record(numbered(PLACES - 1, 'FIRST'));
    await record([...numbered(500, 'SECOND'), 'first-0000']);
    const counts = await countsListed();
    assert.equal(counts.size, PLACES);
    assert.deepEqual([counts.get('second-0000'), counts.get('first-0000')], [1, 2]);
  });
});
