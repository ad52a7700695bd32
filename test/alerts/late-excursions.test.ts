/**
 * Excursions in late data, compared with a second implementation, for readings in any order and pieces.
 * Random histories: LATE_SEED repeats a failure, LATE_RUNS sets their number.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createLateExcursions } from '../../src/alerts/late-excursions.service.ts';
import { planLateExcursions, type TemperatureAlert } from '../../src/alerts/late-excursions.ts';
import { TEMPERATURE } from '../../src/devices/device-capabilities.ts';
import type { StoredReading } from '../../src/devices/reading.ts';
import { createLateDevice, DAY, type Sample } from './late-device.ts';
import { expectedExcursions } from './late-model.ts';

const RUNS = Number(process.env.LATE_RUNS ?? 400);
const SEED = process.env.LATE_SEED === undefined ? {} : { seed: Number(process.env.LATE_SEED) };

const RULES = {
  fridge: { lowC: 2, highC: 8, hysteresisC: 0.5 },
  narrow: { lowC: null, highC: 7, hysteresisC: 0 },
  slow: { lowC: 2, highC: 8, hysteresisC: 0.5, delayMinutes: 30 },
  night: { lowC: 2, highC: 8, hysteresisC: 0.5, hours: [1, 4] },
  none: null,
} as const;

const VALUES = [1, 5, 5, 7.8, 7.2, 9, 9, 12];

/** Without a known period, a breach that has not lasted its delay continues over any gap. */
const settingsOf = (names: Array<keyof typeof RULES>) =>
  fc.uniqueArray(
    fc.record({
      from: fc.integer({ min: -100, max: 700 }),
      rules: fc.constantFrom(...names).map((name) => RULES[name]),
      periodMinutes: names.includes('slow') ? fc.constantFrom(5, 60) : fc.constantFrom(null, 5, 60),
    }),
    { selector: ({ from }) => from, minLength: 1, maxLength: 3 },
  );

const samplesOf = (values: Array<number | null>) =>
  fc.uniqueArray(
    fc.record({
      minute: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 900 })),
      value: fc.constantFrom(...values),
    }),
    { selector: ({ minute }) => minute, minLength: 1, maxLength: 14 },
  );

/** The readings in the order of sending, the number in each frame, and the duration of each frame. */
const historyOf = (values: Array<number | null>) =>
  samplesOf(values).chain((all) =>
    fc.record({
      order: fc.shuffledSubarray(all, { minLength: all.length }),
      sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: all.length, maxLength: all.length }),
      delays: fc.array(fc.constantFrom(0, 10, 400, DAY + 1), {
        minLength: all.length,
        maxLength: all.length,
      }),
    }),
  );

const sent = (names: Array<keyof typeof RULES>, values: Array<number | null> = [...VALUES, null]) =>
  fc.record({ settings: settingsOf(names), history: historyOf(values) });

function toFrames({ order, sizes }: { order: Sample[]; sizes: number[] }): Sample[][] {
  const frames: Sample[][] = [];
  let left = order;
  for (const size of sizes) {
    if (left.length > 0) frames.push(left.slice(0, size));
    left = left.slice(size);
  }
  return frames;
}

describe('Excursions in late data', () => {
  it('finds the same excursions for any order and pieces of the readings', async () => {
    await fc.assert(
      fc.asyncProperty(
        sent(['fridge', 'narrow', 'night', 'none']),
        async ({ settings: inForce, history }) => {
          const device = createLateDevice(inForce);
          for (const frame of toFrames(history)) await device.receive(frame, 2 * DAY);
          assert.deepEqual(device.lateAlerts(), expectedExcursions(history.order, inForce));
          assert.deepEqual(
            device.events(),
            device.lateAlerts().flatMap(() => ['created', 'resolved']),
          );
        },
      ),
      { numRuns: RUNS, ...SEED },
    );
  });

  it('makes an alert of each excursion with a delay, for any order and pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        sent(['slow', 'slow', 'fridge', 'none'], VALUES),
        async ({ settings: inForce, history }) => {
          const device = createLateDevice(inForce);
          for (const frame of toFrames(history)) await device.receive(frame, 2 * DAY);
          const found = device.lateAlerts().map((alert) => JSON.stringify(alert));
          for (const each of expectedExcursions(history.order, inForce))
            assert.ok(
              found.includes(JSON.stringify(each)),
              `${JSON.stringify(each)} is not among ${found.join()}`,
            );
        },
      ),
      { numRuns: RUNS, ...SEED },
    );
  });

  it('finds the same excursions with a delay as for readings in order', async () => {
    await fc.assert(
      fc.asyncProperty(sent(['slow', 'slow', 'fridge', 'none']), async ({ settings: inForce, history }) => {
        const device = createLateDevice(inForce);
        const order = history.order.toSorted((a, b) => a.minute - b.minute);
        for (const frame of toFrames({ ...history, order })) await device.receive(frame, 2 * DAY);
        assert.deepEqual(device.lateAlerts(), expectedExcursions(order, inForce));
      }),
      { numRuns: RUNS, ...SEED },
    );
  });

  it('changes nothing when readings are sent again', async () => {
    await fc.assert(
      fc.asyncProperty(sent(['slow', 'fridge', 'night']), async ({ settings: inForce, history }) => {
        const device = createLateDevice(inForce);
        for (const frame of toFrames(history)) await device.receive(frame, 2 * DAY);
        const before = JSON.stringify([device.lateAlerts(), device.events()]);
        for (const frame of toFrames(history).reverse()) await device.receive(frame, 2 * DAY);
        assert.equal(JSON.stringify([device.lateAlerts(), device.events()]), before);
      }),
      { numRuns: RUNS / 4, ...SEED },
    );
  });

  it('finds the same alerts, late ones and others, for any order and pieces of the late readings', async () => {
    const inForce = [{ from: -DAY, rules: RULES.fridge, periodMinutes: null }];
    const timely = fc.uniqueArray(
      fc.record({
        minute: fc.oneof(fc.integer({ min: 30, max: 60 }), fc.integer({ min: 30, max: 900 })),
        value: fc.constantFrom(...VALUES),
      }),
      { selector: ({ minute }) => minute, minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(timely, historyOf(VALUES), async (inTime, history) => {
        const minutes = new Set(inTime.map(({ minute }) => minute));
        const newest = Math.max(...minutes);
        const late = history.order.filter(({ minute }) => minute < newest && !minutes.has(minute));
        const alertsAfter = async (frames: Sample[][]) => {
          const device = createLateDevice(inForce);
          for (const each of inTime.toSorted((a, b) => a.minute - b.minute))
            await device.receive([each], each.minute);
          for (const frame of frames) await device.receive(frame, newest + 1);
          return { late: device.lateAlerts(), live: device.liveAlerts() };
        };
        const atOnce = late.toSorted((a, b) => a.minute - b.minute);
        assert.deepEqual(
          await alertsAfter(toFrames({ ...history, order: late })),
          await alertsAfter(atOnce.length > 0 ? [atOnce] : []),
        );
      }),
      { numRuns: RUNS, ...SEED },
    );
  });

  it('looks at each alert and reading around a late reading a few times, however many there are', () => {
    let looks = 0;
    const counted = <T extends object>(value: T): T =>
      new Proxy(value, {
        get(target, key) {
          looks++;
          return Reflect.get(target, key);
        },
      });
    const [ofThousand, ofThreeThousand] = [looksAmong(1_000), looksAmong(3_000)];
    assert.ok(
      ofThreeThousand < 4 * ofThousand,
      `${ofThousand}, and ${ofThreeThousand} of three times as many`,
    );

    function looksAmong(count: number): number {
      looks = 0;
      const terms = {
        type: 'high_temp',
        channel: 1,
        bounds: { lowC: null, highC: 8, hysteresisC: 0 },
        severity: 'critical',
      } as const;
      const reading = (at: number, value: number, late = false): StoredReading => ({
        channel: 1,
        type: TEMPERATURE,
        value,
        error: null,
        late,
        measuredAt: new Date(at),
        receivedAt: new Date(at),
        periodSeconds: null,
      });
      const alertAt = (startedAt: number): TemperatureAlert => ({
        ...terms,
        alertId: `${startedAt}`,
        late: false,
        startedAt,
        endedAt: startedAt + 18,
        value: 15,
        extreme: null,
      });
      const alerts = Array.from({ length: count }, (_, index) => alertAt(18 + 36 * index));
      const readings = [
        reading(0, 5),
        ...alerts.flatMap(({ startedAt: at }) => [reading(at, 15), reading(at + 18, 5)]),
      ];
      const half = count + 1;
      const lateAt = 36 * (count / 2) + 9;
      const stretch = [...readings.slice(0, half), reading(lateAt, 15, true), ...readings.slice(half)];
      const definition = { ...terms, rule: 0, windows: null, delayMinutes: 0 };
      const rules = [{ from: Number.NEGATIVE_INFINITY, definitions: [definition], periodSeconds: null }];
      const plan = planLateExcursions({
        stretches: [stretch.map(counted)],
        rules,
        alerts: alerts.map(counted),
        newestAt: null,
      });
      assert.deepEqual(plan, {
        made: [],
        lengthened: [{ ...alertAt(18 + 36 * (count / 2)), startedAt: lateAt }],
        unendedAt: null,
        isCut: false,
      });
      return looks;
    }
  });

  it('makes alerts of the latest twenty excursions that one message shows', async () => {
    const device = createLateDevice([{ from: -DAY, rules: RULES.fridge, periodMinutes: null }]);
    await device.receive([{ minute: 900, value: 5 }], 900);
    const swings = Array.from({ length: 60 }, (_, minute) => ({ minute, value: minute % 2 === 0 ? 9 : 5 }));
    await device.receive(swings, 901);
    assert.deepEqual(
      device.lateAlerts().map(({ from, to }) => [from, to]),
      Array.from({ length: 20 }, (_, index) => [20 + 2 * index, 21 + 2 * index]),
    );
    assert.equal(device.events().length, 40);
  });

  it('evaluates no late reading of a device with 20,000 alerts around it', async () => {
    const hourMs = 3_600_000;
    const read: number[] = [];
    const evaluateLate = createLateExcursions({
      batchesIn: () => ({
        listAround: async (_, alertsMax) =>
          Array.from({ length: alertsMax }, (_, index) => ({
            id: `alert-${index}`,
            assetId: 'a',
            type: 'high_temp' as const,
            severity: 'critical' as const,
            details: { channel: 1, value: 9, bounds: { lowC: null, highC: 8, hysteresisC: 0 } },
            startedAt: new Date(120 * hourMs + 1_000 * index),
            endedAt: new Date(120 * hourMs + 1_000 * index + 500),
            late: false,
            extreme: null,
          })),
        insert: async () => [],
        lengthen: async () => {},
      }),
      settingsIn: () => ({ listFrom: async () => new Map() }),
      readingsIn: () => ({
        async find(ranges) {
          for (const { to } of ranges) read.push(to);
          return ranges.map(({ from, to }) => ({ from, to, readings: [] }));
        },
      }),
    });
    const reading = { channel: 1, type: TEMPERATURE, value: 9, error: null, late: true };
    const fresh = [{ ...reading, measuredAt: new Date(150 * hourMs) }];
    const channels = [{ channel: 1, fresh, unendedAt: 0, newestAt: 0 }];
    const device = { organizationId: 'o', assetId: 'a', serialNumber: 's', channels, latestAt: 0 };
    await evaluateLate({ sql: null as never, afterCommit() {} }, [device]);
    assert.deepEqual(read, [hourMs], 'up to the reading it would be more than a hundred hours');
  });

  it('reads the surroundings of ten devices at a time', async () => {
    const read: number[] = [];
    const evaluateLate = createLateExcursions({
      batchesIn: () => ({ listAround: async () => [], insert: async () => [], lengthen: async () => {} }),
      settingsIn: () => ({ listFrom: async () => new Map() }),
      readingsIn: () => ({
        async find(ranges) {
          read.push(new Set(ranges.map(({ assetId }) => assetId)).size);
          return ranges.map(({ from, to }) => ({ from, to, readings: [] }));
        },
      }),
    });
    const channels = [{ channel: 1, fresh: [], unendedAt: 0, newestAt: 0 }];
    const devices = Array.from({ length: 21 }, (_, index) => ({
      organizationId: 'o',
      assetId: `asset-${index}`,
      serialNumber: `${index}`,
      channels,
      latestAt: 0,
    }));
    await evaluateLate({ sql: null as never, afterCommit() {} }, devices);
    assert.deepEqual(read, [10, 10, 1]);
  });

  it('assigns excursions to alerts of timely readings where their times overlap', async () => {
    const inForce = [{ from: -DAY, rules: RULES.fridge, periodMinutes: null }];
    await fc.assert(
      fc.asyncProperty(historyOf([...VALUES, null]), async (history) => {
        const device = createLateDevice(inForce);
        let arrival = 0;
        for (const [index, frame] of toFrames(history).entries()) {
          const newest = Math.max(...frame.map(({ minute }) => minute));
          arrival = Math.max(arrival, newest) + (history.delays[index] ?? 0);
          await device.receive(frame, arrival);
        }
        const [late, live] = [device.lateAlerts(), device.liveAlerts()];
        const all = [...late, ...live].sort((a, b) => a.from - b.from);
        for (const type of ['high_temp', 'low_temp']) {
          const ofType = all.filter((each) => each.type === type);
          for (const [index, { from }] of ofType.slice(1).entries())
            assert.ok((ofType[index]?.to ?? Number.POSITIVE_INFINITY) <= from, JSON.stringify(ofType));
        }
        for (const { type, from, to } of expectedExcursions(history.order, inForce))
          assert.ok(
            all.some(
              (each) => each.type === type && each.from <= from && (each.to === null || each.to >= from),
            ) || !device.hasLateBreach(from, to),
            `${type} ${from}-${to} is not among ${JSON.stringify(all)}`,
          );
      }),
      { numRuns: RUNS, ...SEED },
    );
  });
});
