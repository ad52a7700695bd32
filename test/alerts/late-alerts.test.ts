/** Alerts of excursions in late data, from the frame to the list of alerts. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { compactClosedDays } from '../measurements/compact.ts';
import { FRIDGE } from '../support/fleet.ts';
import { openLogger } from '../support/logger.ts';
import { FRIDGE_BOUNDS, useDevice } from './harness.ts';

const HOUR = 60;
const OF_LATE_READINGS = /lead\(from_at\)|started_at <= n\.from_at|has_next|update alerts a set started_at/;

describe('Late readings', () => {
  const device = useDevice();
  const { alerts, reading, send, statuses } = device;
  /**
   * Minutes from the start to the readings of the test, ahead of the database's clock, by which assets are
   * registered.
   */
  const ahead = (minute: number) => 24 * HOUR + minute;
  const at = (minute: number) => device.at(ahead(minute));
  const setMinute = (minute: number) => device.setClock(Date.parse(at(minute)));
  /** Sends a frame that arrives at that minute. */
  async function measure(minute: number, readings: Array<[minute: number, value: number]>): Promise<void> {
    setMinute(minute);
    await send(readings.map(([measured, value]) => reading(ahead(measured), value)));
  }
  const summary = async () =>
    (await alerts()).map(({ late, status, timestamp, endedAt, extreme }) => ({
      late,
      status,
      span: [toMinute(timestamp), endedAt && toMinute(endedAt)],
      extreme: extreme && [extreme.value, toMinute(extreme.at)],
    }));
  const toMinute = (time: string) => (Date.parse(time) - Date.parse(at(0))) / MINUTE_MS;
  const late = (from: number, to: number, value: number, extremeAt: number) => ({
    late: true,
    status: 'resolved',
    span: [from, to],
    extreme: [value, extremeAt],
  });

  const compact = () =>
    compactClosedDays(device.dms.service.sql, () => new Date(Date.parse(at(60 * 24 * HOUR))));

  beforeEach(async () => {
    setMinute(-HOUR);
    await device.confirmProfile(FRIDGE);
  });

  it('makes a finished alert of late readings in breach, with both of its events', async () => {
    const webhook = await device.subscribe(['alert.created', 'alert.resolved', 'data.measurement.alert']);
    await measure(100, [[100, 5]]);
    await measure(101, [
      [10, 5],
      [20, 9],
      [30, 11],
      [40, 10],
      [50, 5],
    ]);
    assert.deepEqual(await summary(), [late(20, 50, 11, 30)]);
    const [alert] = await alerts();
    assert.deepEqual(
      [alert?.type, alert?.severity, alert?.details],
      ['high_temp', 'critical', { channel: 1, value: 9, bounds: FRIDGE_BOUNDS }],
    );
    assert.deepEqual(
      (await device.published(webhook)).map(({ type, timestamp, data }) => [type, timestamp, data]),
      [
        ['alert.created', at(20), alert],
        ['alert.resolved', at(50), alert],
      ],
    );
    assert.equal((await device.org.api.get(`/assets/${device.assetId}`)).body.openAlerts, 0);
  });

  it('evaluates late readings by the settings that were in force when they were measured', async () => {
    setMinute(60);
    await device.confirmProfile({
      temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 20, severity: 'warning' }],
    });
    await measure(200, [[200, 5]]);
    await measure(201, [
      [30, 9],
      [40, 5],
      [70, 9],
      [80, 21],
      [90, 5],
    ]);
    assert.deepEqual(await summary(), [late(30, 40, 9, 30), late(80, 90, 21, 80)]);
    const details = (await alerts()).map(({ severity, details: { bounds } }) => [severity, bounds]);
    assert.deepEqual(details, [
      ['critical', FRIDGE_BOUNDS],
      ['warning', { lowC: null, highC: 20, hysteresisC: 0 }],
    ]);
  });

  it('extends the alert of an excursion by its late readings, without another event', async () => {
    const webhook = await device.subscribe(['alert.created', 'alert.resolved']);
    await measure(100, [[100, 5]]);
    await measure(101, [[30, 9]]);
    assert.deepEqual(await summary(), [late(30, 100, 9, 30)]);
    await measure(102, [
      [20, 12],
      [10, 5],
      [50, 5],
    ]);
    await measure(103, [[40, 13]]);
    await measure(103, [[40, 13]]);
    assert.deepEqual(await summary(), [late(20, 50, 13, 40)]);
    assert.equal((await alerts())[0]?.details.value, 12);
    assert.equal((await device.published(webhook)).length, 2);
  });

  it('ends an excursion of more than a day ago with the next reading, late or not', async () => {
    const now = 40 * HOUR;
    await measure(now, [[0, 9]]);
    assert.deepEqual(await summary(), [late(0, 0, 9, 0)]);
    await measure(now, [[10, 10]]);
    assert.deepEqual(await summary(), [late(0, 10, 10, 10)]);
    await measure(now + 1, [[now + 1, 5]]);
    assert.deepEqual(await summary(), [late(0, now + 1, 10, 10)]);
    await measure(now + 2, [[now + 2, 9]]);
    assert.deepEqual(await statuses(), ['high_temp resolved', 'high_temp new']);
  });

  it('finds the next reading at any distance, even in compacted days', async () => {
    const far = 40 * 24 * HOUR;
    await measure(0, [[0, 5]]);
    await measure(far, [
      [far - 20, 5],
      [far, 5],
    ]);
    await measure(far + 1, [
      [10, 1],
      [20, 0],
    ]);
    assert.deepEqual(await summary(), [late(10, far - 20, 0, 20)]);
    await compact();
    await measure(far + 2, [[30, 5]]);
    assert.deepEqual(await summary(), [late(10, 30, 0, 20)]);
    await compact();
    await measure(far + 3, [
      [15, -2],
      [5, 1],
    ]);
    assert.deepEqual(await summary(), [late(5, 30, -2, 15)]);
  });

  it('moves the beginning of an open alert over any distance', async () => {
    const far = 40 * 24 * HOUR;
    await measure(far, [
      [0, 5],
      [far - 1, 5],
      [far, 9],
    ]);
    await measure(far + 1, [[10, 12]]);
    assert.deepEqual(await summary(), [
      { late: false, status: 'new', span: [far, null], extreme: null },
      late(10, far - 1, 12, 10),
    ]);
    await device.newDevice();
    setMinute(-HOUR);
    await device.confirmProfile(FRIDGE);
    await measure(far, [[far, 9]]);
    await measure(far + 1, [[10, 12]]);
    assert.deepEqual(await summary(), [{ late: false, status: 'new', span: [10, null], extreme: null }]);
  });

  it('moves the beginning of an open alert by late readings before it, and makes no alert of those within it', async () => {
    const webhook = await device.subscribe(['alert.created', 'alert.resolved']);
    await measure(50, [
      [0, 5],
      [50, 9],
    ]);
    await measure(60, [[60, 9]]);
    await measure(61, [
      [55, 12],
      [40, 10],
    ]);
    const open = { late: false, status: 'new', extreme: null };
    assert.deepEqual(await summary(), [{ ...open, span: [40, null] }]);
    assert.equal((await alerts())[0]?.details.value, 10);
    await measure(70, [[70, 5]]);
    assert.deepEqual(await summary(), [{ ...open, status: 'resolved', span: [40, 70] }]);
    assert.equal((await device.published(webhook)).length, 2);
  });

  it('makes no alert of late readings within the time of an alert, however many are newer', async () => {
    const bounds = { type: 'high', channel: 'probe' };
    await device.confirmProfile({
      temperatureAlerts: [
        { ...bounds, highC: 8 },
        { ...bounds, highC: 20, severity: 'warning' },
      ],
    });
    const far = 4 * 24 * HOUR;
    const swings = Array.from({ length: 104 }, (_, index): [number, number] => [
      1 + index,
      index % 2 === 0 ? 21 : 9,
    ]);
    await measure(105, [[0, 9]]);
    for (let first = 0; first < swings.length; first += 40)
      await measure(105, swings.slice(first, first + 40));
    await measure(far, [
      [far - 60, 9],
      [far, 5],
    ]);
    assert.equal((await device.list()).totalItems, 53);
    await measure(far + 1, [[far - 200, 10]]);
    assert.equal((await device.list('&late=true')).totalItems, 0);
  });

  it('begins an open alert again with its first timely readings when a late one within the bounds comes before them', async () => {
    const webhook = await device.subscribe(['alert.created', 'alert.resolved']);
    await measure(50, [
      [0, 5],
      [50, 9],
    ]);
    await measure(60, [[40, 12]]);
    const open = { late: false, status: 'new', extreme: null };
    assert.deepEqual(await summary(), [{ ...open, span: [40, null] }]);
    await measure(61, [[45, 5]]);
    assert.deepEqual(await summary(), [
      { ...open, span: [50, null] },
      { late: true, status: 'resolved', span: [40, 45], extreme: [12, 40] },
    ]);
    assert.deepEqual(
      (await alerts()).map(({ details }) => details.value),
      [9, 12],
    );
    assert.equal((await device.published(webhook)).length, 3);
  });

  it('changes no alert of another channel or type', async () => {
    await measure(100, [[100, 5]]);
    setMinute(101);
    const more = { channel: 3, type: 'humidity' };
    await send([reading(ahead(10), 90, more), reading(ahead(20), 5)], { batteryStatus: 'ok' });
    assert.deepEqual(await statuses(), []);
  });

  it('counts late readings once, even when concurrent frames bring them', async () => {
    await measure(100, [[100, 5]]);
    setMinute(101);
    const frames = Array.from({ length: 20 }, (_, index) => [
      reading(ahead(10 + index * 2), index % 5 === 0 ? 5 : 9),
      reading(ahead(90), 5),
    ]);
    await Promise.all([...frames, ...frames].map((readings) => send(readings)));
    const spans = (await summary()).map(({ span }) => span).sort(([a], [b]) => Number(a) - Number(b));
    assert.deepEqual(spans, [
      [12, 20],
      [22, 30],
      [32, 40],
      [42, 90],
    ]);
  });

  it('makes alerts as long as the statistics say, for readings in any order and pieces', async () => {
    const count = 24;
    const values = fc.array(fc.constantFrom(5, 9, 12), { minLength: count, maxLength: count });
    const order = fc.shuffledSubarray([...Array(count).keys()], { minLength: count });
    await fc.assert(
      fc.asyncProperty(values, order, async (measured, positions) => {
        await device.newDevice();
        setMinute(-HOUR);
        const temperatureAlerts = [{ type: 'high', channel: 'probe', highC: 8 }];
        await device.confirmProfile({ temperatureAlerts, intervals: { measurementIntervalMinutes: 10 } });
        await measure(600, [[count * 10, 5]]);
        for (let index = 0; index < count; index += 5) {
          const frame = positions.slice(index, index + 5);
          await measure(
            600,
            frame.map((position) => [position * 10, measured[position] as number]),
          );
        }
        const lasted = (await summary()).map(({ span: [from, to] }) => Number(to) - Number(from));
        const span = `from=${at(0)}&to=${at(count * 10)}`;
        const { channels } = (await device.org.api.get(`/assets/${device.assetId}/statistics?${span}`)).body;
        assert.equal(
          lasted.reduce((sum, minutes) => sum + minutes * 60, 0),
          channels[0].alerts[0].secondsOutside,
        );
      }),
      { numRuns: Number(process.env.LATE_RUNS ?? 400) / 50 },
    );
  });

  it('treats late readings over CoAP as over HTTP', async () => {
    await device.newDevice({}, '282C0246F001');
    await device.confirmProfile(FRIDGE);
    await measure(100, [[100, 5]]);
    const { token } = await device.dms.issueKey(device.org.id, 'device');
    const logger = await openLogger({ serial: device.serial, coapPort: device.dms.coapPort, token });
    await logger.measure({ values: [9, 5], at: new Date(at(10)) });
    await logger.close();
    assert.deepEqual(
      (await summary()).map(({ late: isLate, extreme }) => [isLate, extreme?.[0]]),
      [[true, 9]],
    );
  });

  it('marks late alerts in the list, with a history of opening and end', async () => {
    await measure(100, [[100, 9]]);
    await measure(101, [
      [10, 1],
      [20, 5],
    ]);
    const typesOf = async (filter: string) => {
      const { items, totalItems } = await device.list(filter);
      return [totalItems, ...items.map(({ type }) => type)];
    };
    assert.deepEqual(await typesOf('&late=true'), [1, 'low_temp']);
    assert.deepEqual(await typesOf('&late=false'), [1, 'high_temp']);
    assert.equal((await device.org.api.get('/alerts?late=perhaps')).status, 400);
    const [alert] = (await device.list('&late=true')).items;
    const { history } = (await device.org.api.get(`/alerts/${alert?.id}`)).body;
    assert.deepEqual(
      history.map(({ action, by }: { action: string; by: null }) => [action, by]),
      [
        ['opened', null],
        ['resolved', null],
      ],
    );
    assert.equal((await device.acknowledge(alert?.id as string)).status, 409);
  });

  describe('and the statements of a frame', () => {
    type Sent = { sql: string; bindings: unknown[] };
    async function sentOf(readings: object[]): Promise<Sent[]> {
      const seen: Sent[] = [];
      const onQuery = (each: Sent) => void seen.push(each);
      const { sql } = device.dms.service;
      sql.on('query', onQuery);
      await send(readings);
      sql.off('query', onQuery);
      return seen;
    }
    const statementsOf = async (readings: object[]): Promise<number> =>
      (await sentOf(readings)).filter(({ sql }) => OF_LATE_READINGS.test(sql)).length;
    const series = (from: number, values: number[]) =>
      values.map((value, index) => reading(ahead(from + index), value));

    beforeEach(async () => {
      setMinute(900);
      await send(series(800, [5]));
    });

    it('takes no statement for excursions in late data without late readings', async () => {
      assert.equal(await statementsOf(series(801, [9, 12, 5])), 0);
    });

    it('takes two statements for any number of late readings within the bounds', async () => {
      assert.equal(await statementsOf(series(1, [5])), 2);
      assert.equal(await statementsOf(series(10, Array<number>(500).fill(5))), 2);
    });

    it('takes one more for the readings around late ones in breach, however many they are', async () => {
      assert.equal(await statementsOf(series(1, [9, 5])), 3);
      const [warm, cold] = [Array<number>(200).fill(9), Array<number>(200).fill(1)];
      assert.equal(await statementsOf(series(10, [...warm, ...cold, 5])), 3);
    });

    it('reads an hour around a late reading in breach of long ago while another excursion in late data goes on', async () => {
      setMinute(3_000);
      await send(series(900, [9]));
      const read = (await sentOf(series(10, [9]))).find(({ sql }) => sql.includes('has_next'));
      const [from = [], to = []] = (read?.bindings ?? [])
        .slice(3, 5)
        .map((array) => String(array).match(/[^{}",]+/g) ?? []);
      const rangeAround = (minute: number) => [minute - 60, minute + 60].map(at);
      assert.deepEqual(
        from.map((each, index) => [each, to[index]].map((at) => new Date(at as string).toISOString())),
        [10, 900].map(rangeAround),
      );
    });

    it('takes one more to extend excursions, and none when the frame is repeated', async () => {
      await send([...series(10, [9, 5]), ...series(20, [9, 5])]);
      const frame = [...series(9, [9]), ...series(19, [9])];
      assert.equal(await statementsOf(frame), 4);
      assert.equal(await statementsOf(frame), 0);
    });
  });
});
