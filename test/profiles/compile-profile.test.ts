/**
 * What a device makes of a compiled profile. Rules and calendars are run by a small interpreter of the device,
 * written from the protocol's description and not from the compiler, and held against what the customer asked for.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PROBE_POSITIONS, slotAt } from '../../src/devices/channel-layout.ts';
import {
  type AlarmRule,
  type Calendar,
  canonicalText,
  DISABLED_CALENDAR,
  DISABLED_RULE,
  type LogicRule,
  type ThresholdRule,
} from '../../src/devices/configuration.ts';
import { capabilitiesKey, type DeviceCapabilities } from '../../src/devices/device-capabilities.ts';
import { compileProfile, type ProfileSnapshot } from '../../src/profiles/compile-profile.ts';
import { compileWarnings, mergedWarnings } from '../../src/profiles/compile-warnings.ts';
import {
  BOUNDS_TYPES,
  enforcedBounds,
  type Schedule,
  type TemperatureAlert,
  WEEKDAYS,
  type WeekSchedule,
} from '../../src/profiles/profile.ts';

const MINUTE_MS = 60_000;
const winter = new Date('2026-01-15T12:00:00Z');
const summer = new Date('2026-07-15T12:00:00Z');

/** Temperature alone, temperature-humidity-temperature, and a device that has reported nothing. */
const single: DeviceCapabilities = { channelTypes: [1, 0, 0, 0, 0, 0], model: null, ruleSlots: 12 };
const double: DeviceCapabilities = { channelTypes: [1, 2, 1, 0, 0, 0], model: null, ruleSlots: 16 };
const unreported: DeviceCapabilities = { channelTypes: null, model: null, ruleSlots: 12 };
const variants = fc.constantFrom(single, double, unreported);

const nothing: ProfileSnapshot = { alerts: null, schedule: null, intervals: null };
const alert = (fields: Partial<TemperatureAlert>): TemperatureAlert => ({
  type: 'range',
  channel: 'probe',
  hysteresisC: 0,
  transmitOnBreach: true,
  transmitOnReturn: true,
  ...fields,
});
const fridge = alert({ lowC: 2, highC: 8, hysteresisC: 0.5 });
const officeHours: WeekSchedule = {
  always: false,
  days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  from: '08:00',
  to: '18:00',
  timezone: 'Europe/Stockholm',
};

const rulesOf = (alerts: TemperatureAlert[], capabilities: DeviceCapabilities = single): AlarmRule[] =>
  compileProfile({ ...nothing, alerts }, capabilities, winter).alarmRules ?? [];
const calendarsOf = (schedule: Schedule, at: Date): Calendar[] =>
  compileProfile({ ...nothing, alerts: [fridge], schedule }, single, at).calendars ?? [];
const filled = <T>(list: T[], fill: T, length: number): T[] => [
  ...list,
  ...Array(length - list.length).fill(fill),
];

/** Hundredths of a degree, so that rounding is met and the tests' own arithmetic is exact. */
const alerts = fc
  .record({
    type: fc.constantFrom(...BOUNDS_TYPES),
    channel: fc.constantFrom(...PROBE_POSITIONS),
    low: fc.integer({ min: -3000, max: 3000 }),
    width: fc.integer({ min: 1, max: 300 }),
    hysteresis: fc.integer({ min: 0, max: 300 }),
    transmitOnBreach: fc.boolean(),
    transmitOnReturn: fc.boolean(),
  })
  .map(({ type, low, width, hysteresis, ...rest }): TemperatureAlert => {
    const hundredths = type === 'range' ? Math.min(hysteresis, width) : hysteresis;
    return {
      type,
      ...rest,
      ...(type !== 'high' && { lowC: low / 100 }),
      ...(type !== 'low' && { highC: (low + width) / 100 }),
      hysteresisC: hundredths < 10 ? 0 : hundredths / 100,
    };
  });
const alertLists = fc.array(alerts, { maxLength: 4 });

const timeOfDay = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
const ZONES = [
  'UTC',
  'Europe/Stockholm',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Australia/Adelaide',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Pacific/Marquesas',
  'Pacific/Pago_Pago',
];
const minuteOfDay = fc.oneof(fc.integer({ min: 0, max: 1439 }), fc.constantFrom(0, 1, 720, 1438, 1439));
const weekSchedules = fc
  .record({
    days: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }),
    from: minuteOfDay,
    to: minuteOfDay,
    timezone: fc.constantFrom(...ZONES),
  })
  .filter(({ from, to }) => from !== to)
  .map(
    (fields): WeekSchedule => ({
      ...fields,
      always: false,
      from: timeOfDay(fields.from),
      to: timeOfDay(fields.to),
    }),
  );
const moments = fc.date({
  min: new Date('2024-01-01T00:00:00Z'),
  max: new Date('2028-01-01T00:00:00Z'),
  noInvalidDate: true,
});

/* The device ---------------------------------------------------------------------------------------------------- */

type Sample = Record<number, number>;
interface Transmission {
  sample: number;
  rule: number;
}

/** All rules start inactive; temperatures are tenths of a degree by channel. */
function transmissionsOf(rules: AlarmRule[], samples: Sample[]): Transmission[] {
  const isActive = rules.map(() => false);
  return samples.flatMap((temperatures, sample) => {
    for (const [position, rule] of rules.entries()) {
      if (rule.condition === 'HIGH_THRESHOLD' || rule.condition === 'LOW_THRESHOLD') {
        isActive[position] = thresholdState(rule, isActive[position] ?? false, temperatures);
      }
    }
    return rules.flatMap((rule, position) => {
      if (rule.condition !== 'LOGIC_OPERATOR') return [];
      const before = isActive[position];
      const after = logicState(rule, isActive);
      isActive[position] = after;
      const acts = after ? !before : before && rule.returnDelaySeconds !== null;
      return acts && rule.action === 'TRIGGER_TRANSMISSION' ? [{ sample, rule: position }] : [];
    });
  });
}

function thresholdState(rule: ThresholdRule, wasActive: boolean, temperatures: Sample): boolean {
  const tenths = temperatures[rule.slotNumbers[0] ?? -1] ?? Number.NaN;
  const threshold = Math.round(rule.threshold * 10);
  const hysteresis = wasActive ? Math.round(rule.hysteresis * 10) : 0;
  return rule.condition === 'HIGH_THRESHOLD'
    ? tenths > threshold - hysteresis
    : tenths < threshold + hysteresis;
}

function logicState({ operator, rules, negatedRules }: LogicRule, isActive: boolean[]): boolean {
  const inputs = rules.map((rule) => isActive[rule] !== negatedRules.includes(rule));
  return operator === 'AND' ? inputs.every(Boolean) : inputs.some(Boolean);
}

/** A rule that no calendar names is always on; one that several name is on while any of them has its window. */
function isRuleOn(calendars: Calendar[], rule: number, at: Date): boolean {
  const naming = calendars.filter(({ enableRules }) => (enableRules as number[]).includes(rule));
  return naming.length === 0 || naming.some((calendar) => isInWindow(calendar, at));
}

function isInWindow(calendar: Calendar, at: Date): boolean {
  if (calendar.type !== 'WEEK') return false;
  const local = new Date(at.getTime() + calendar.timezone * MINUTE_MS);
  const minute = local.getUTCHours() * 60 + local.getUTCMinutes();
  if (!calendar.days.includes(local.getUTCDay())) return false;
  const { fromTime, toTime } = calendar;
  return fromTime > toTime ? minute < toTime || minute >= fromTime : minute >= fromTime && minute < toTime;
}

/* The customer -------------------------------------------------------------------------------------------------- */

const nearestTenth = (celsius: number) => {
  const hundredths = Math.round(celsius * 100);
  return Math.sign(hundredths) * Math.floor((Math.abs(hundredths) + 5) / 10);
};

/** Samples at which the temperature leaves the bounds or comes back, as a person would follow the curve. */
function crossings(watched: TemperatureAlert, tenths: number[]): Array<'breach' | 'return' | null> {
  const min = watched.lowC === undefined ? -Infinity : nearestTenth(watched.lowC);
  const max = watched.highC === undefined ? Infinity : nearestTenth(watched.highC);
  const hysteresis = Math.min(nearestTenth(watched.hysteresisC), max - min);
  let side: 'above' | 'within' | 'below' = 'within';
  return tenths.map((value) => {
    const before = side;
    if (value > max) side = 'above';
    else if (value < min) side = 'below';
    else if (side === 'above' && value <= max - hysteresis) side = 'within';
    else if (side === 'below' && value >= min + hysteresis) side = 'within';
    if ((before === 'within') === (side === 'within')) return null;
    return side === 'within' ? 'return' : 'breach';
  });
}

function expectedSamples(watched: TemperatureAlert, tenths: number[]): number[] {
  const { transmitOnBreach, transmitOnReturn } = watched;
  return crossings(watched, tenths).flatMap((crossing, sample) => {
    const startsWithin = sample === 0 && crossing === null && transmitOnReturn && !transmitOnBreach;
    const wanted = (crossing === 'breach' && transmitOnBreach) || (crossing === 'return' && transmitOnReturn);
    return wanted || startsWithin ? [sample] : [];
  });
}

function localClock(timezone: string, at: Date): { weekday: string; minute: number } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return {
    weekday: part('weekday').toLowerCase(),
    minute: Number(part('hour')) * 60 + Number(part('minute')),
  };
}

/** Minutes ahead of UTC, less whole days. */
function offsetOf(timezone: string, at: Date): number {
  const utcMinute = at.getUTCHours() * 60 + at.getUTCMinutes();
  return (localClock(timezone, at).minute - utcMinute + 1440) % 1440;
}

const minutesOf = (time: string) => Number(time.split(':')[0]) * 60 + Number(time.split(':')[1]);

/** Whether the window that opened last is still open: a window belongs to the day on which it opens. */
function isWithinSchedule(schedule: WeekSchedule, weekday: string, minute: number): boolean {
  const from = minutesOf(schedule.from);
  const to = minutesOf(schedule.to);
  const today = (WEEKDAYS as readonly string[]).indexOf(weekday);
  const opensOn = (day: number) => schedule.days.some((name) => WEEKDAYS.indexOf(name) === (day + 7) % 7);
  if (from < to) return opensOn(today) && minute >= from && minute < to;
  return (opensOn(today) && minute >= from) || (opensOn(today - 1) && minute < to);
}

/* Guarantees ---------------------------------------------------------------------------------------------------- */

describe('A compiled profile, by example', () => {
  it('compiles monitoring of hot water in office hours, measured every 5 minutes and sent every 6 hours', () => {
    const hotWater: ProfileSnapshot = {
      alerts: [alert({ type: 'low', lowC: 50, hysteresisC: 2 })],
      schedule: officeHours,
      intervals: { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 21_600 },
    };
    const rules: AlarmRule[] = [
      {
        condition: 'LOW_THRESHOLD',
        slotNumbers: [0],
        alarmRuleType: 'TEMPERATURE',
        threshold: 50,
        hysteresis: 2,
        mode: 'CONSECUTIVE_SAMPLES',
        samples: 1,
        action: 'NO_ACTION',
      },
      {
        condition: 'LOGIC_OPERATOR',
        operator: 'OR',
        rules: [0],
        negatedRules: [],
        delaySeconds: 0,
        returnDelaySeconds: 0,
        action: 'TRIGGER_TRANSMISSION',
      },
    ];
    const week = {
      type: 'WEEK',
      enableRules: [0, 1],
      days: [1, 2, 3, 4, 5],
      fromTime: 480,
      toTime: 1080,
    } as const;
    const configuration = (timezone: number) => ({
      measurementPeriodBase: 300,
      measurementPeriodFactor: 1,
      transmissionInterval: 21_600,
      alarmRules: filled(rules, DISABLED_RULE, 12),
      calendars: filled<unknown>([{ ...week, timezone }], DISABLED_CALENDAR, 6),
    });
    assert.deepEqual(compileProfile(hotWater, single, winter), configuration(60));
    assert.deepEqual(compileProfile(hotWater, single, summer), configuration(120));
    assert.deepEqual(compileWarnings(hotWater, single), [
      "intervals.transmissionIntervalSeconds is more than 60 measurement intervals (18000 s): the device's manual allows no more, so it may refuse",
    ]);
  });

  it('compiles monitoring of a vaccine fridge around the clock', () => {
    const schedule: Schedule = { always: true };
    assert.deepEqual(compileProfile({ alerts: [fridge], schedule, intervals: null }, double, winter), {
      alarmRules: filled<AlarmRule>(
        [
          {
            condition: 'HIGH_THRESHOLD',
            slotNumbers: [2],
            alarmRuleType: 'TEMPERATURE',
            threshold: 8,
            hysteresis: 0.5,
            mode: 'CONSECUTIVE_SAMPLES',
            samples: 1,
            action: 'NO_ACTION',
          },
          {
            condition: 'LOW_THRESHOLD',
            slotNumbers: [2],
            alarmRuleType: 'TEMPERATURE',
            threshold: 2,
            hysteresis: 0.5,
            mode: 'CONSECUTIVE_SAMPLES',
            samples: 1,
            action: 'NO_ACTION',
          },
          {
            condition: 'LOGIC_OPERATOR',
            operator: 'OR',
            rules: [0, 1],
            negatedRules: [],
            delaySeconds: 0,
            returnDelaySeconds: 0,
            action: 'TRIGGER_TRANSMISSION',
          },
        ],
        DISABLED_RULE,
        16,
      ),
      calendars: filled([], DISABLED_CALENDAR, 6),
    });
  });

  it('compiles monitoring of a freezer by its probe that transmits only on return', () => {
    const freezer = alert({ lowC: -25, highC: -15, transmitOnBreach: false });
    const model = { ...unreported, model: 'TVO-THT' };
    const [high, low, logic, ...rest] = rulesOf([freezer], model) as [
      ThresholdRule,
      ThresholdRule,
      AlarmRule,
    ];
    assert.deepEqual(
      [high.threshold, high.slotNumbers, low.threshold, low.slotNumbers],
      [-15, [2], -25, [2]],
    );
    assert.deepEqual(logic, {
      condition: 'LOGIC_OPERATOR',
      operator: 'AND',
      rules: [0, 1],
      negatedRules: [0, 1],
      delaySeconds: 0,
      returnDelaySeconds: null,
      action: 'TRIGGER_TRANSMISSION',
    });
    assert.deepEqual(rest, Array(9).fill(DISABLED_RULE));
  });

  it('compiles alerts that transmit only on breach, or never', () => {
    const [, , breachOnly] = rulesOf([{ ...fridge, transmitOnReturn: false }]) as LogicRule[];
    assert.deepEqual([breachOnly?.operator, breachOnly?.returnDelaySeconds], ['OR', null]);
    const watchOnly = rulesOf([{ ...fridge, transmitOnBreach: false, transmitOnReturn: false }]);
    assert.deepEqual(
      watchOnly.slice(0, 3).map((rule) => [rule.condition, 'action' in rule && rule.action]),
      [
        ['HIGH_THRESHOLD', 'NO_ACTION'],
        ['LOW_THRESHOLD', 'NO_ACTION'],
        ['DISABLED', 'NO_ACTION'],
      ],
    );
  });

  it('uses twelve slots for four ranges, in their order', () => {
    const rules = rulesOf([
      fridge,
      { ...fridge, highC: 9 },
      { ...fridge, highC: 10 },
      { ...fridge, highC: 11 },
    ]);
    assert.equal(rules.length, 12);
    assert.deepEqual(
      rules
        .filter(({ condition }) => condition === 'LOGIC_OPERATOR')
        .map((rule) => (rule as LogicRule).rules),
      [
        [0, 1],
        [3, 4],
        [6, 7],
        [9, 10],
      ],
    );
  });
});

describe('A compiled profile', () => {
  const given = fc.record(
    {
      alerts: fc.option(alertLists),
      schedule: fc.option(fc.oneof(weekSchedules, fc.constant<Schedule>({ always: true }))),
      intervals: fc.option(
        fc.constantFrom(
          { measurementIntervalMinutes: 5 },
          { transmissionIntervalSeconds: 600 },
          { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 600 },
        ),
      ),
    },
    { noNullPrototype: true },
  );

  it('sets only the parts that the profile has', () => {
    fc.assert(
      fc.property(given, variants, moments, (parts, capabilities, at) => {
        const { alerts, schedule, intervals } = parts;
        const keys = [
          ...(intervals?.measurementIntervalMinutes
            ? ['measurementPeriodBase', 'measurementPeriodFactor']
            : []),
          ...(intervals?.transmissionIntervalSeconds ? ['transmissionInterval'] : []),
          ...(alerts ? ['alarmRules'] : []),
          ...(alerts || schedule ? ['calendars'] : []),
        ];
        assert.deepEqual(Object.keys(compileProfile(parts, capabilities, at)), keys);
      }),
    );
  });

  it('compiles full lists: as many rules as the device has slots, and six calendars', () => {
    fc.assert(
      fc.property(given, variants, moments, (parts, capabilities, at) => {
        const { alarmRules, calendars } = compileProfile(parts, capabilities, at);
        if (alarmRules) assert.equal(alarmRules.length, capabilities.ruleSlots);
        if (calendars) assert.equal(calendars.length, 6);
      }),
    );
  });

  it('compiles to the same configuration each time, whatever the order of the days, without changing its input', () => {
    fc.assert(
      fc.property(given, variants, moments, (parts, capabilities, at) => {
        const before = structuredClone(parts);
        const first = compileProfile(parts, capabilities, at);
        assert.deepEqual(parts, before);
        assert.deepEqual(compileProfile(before, { ...capabilities }, new Date(at)), first);
        if (!parts.schedule || parts.schedule.always) return;
        const schedule = { ...parts.schedule, days: parts.schedule.days.toReversed() };
        assert.equal(
          canonicalText(compileProfile({ ...parts, schedule }, capabilities, at)),
          canonicalText(first),
        );
      }),
    );
  });

  it('splits every possible interval into base and factor, each at most 65535', () => {
    for (let minutes = 1; minutes <= 14_400; minutes += 1) {
      const intervals = { measurementIntervalMinutes: minutes };
      const compiled = compileProfile({ ...nothing, intervals }, single, winter);
      const { measurementPeriodBase: base = 0, measurementPeriodFactor: factor = 0 } = compiled;
      assert.equal(base * factor, minutes * 60);
      assert.ok(Number.isInteger(base) && base >= 1 && base <= 65_535, `${minutes} min: base ${base}`);
      assert.ok(Number.isInteger(factor) && factor >= 1 && factor <= 65_535);
      for (let less = 1; less < factor; less += 1) {
        assert.ok((minutes * 60) % less !== 0 || (minutes * 60) / less > 65_535, 'a smaller factor would do');
      }
    }
  });
});

describe('The rules of an alert', () => {
  it('compiles an alert to its thresholds and one logic rule over exactly these', () => {
    fc.assert(
      fc.property(alertLists, variants, (list, capabilities) => {
        const rules = rulesOf(list, capabilities);
        let position = 0;
        for (const each of list) {
          const own: number[] = [];
          while (
            rules[position]?.condition.endsWith('_THRESHOLD') &&
            own.length < (each.type === 'range' ? 2 : 1)
          ) {
            own.push(position++);
          }
          assert.equal(own.length, each.type === 'range' ? 2 : 1);
          if (!each.transmitOnBreach && !each.transmitOnReturn) continue;
          const logic = rules[position++] as LogicRule;
          assert.equal(logic.condition, 'LOGIC_OPERATOR');
          assert.deepEqual(logic.rules, own);
          assert.ok(logic.negatedRules.every((rule) => own.includes(rule)));
        }
        assert.ok(rules.slice(position).every(({ condition }) => condition === 'DISABLED'));
      }),
    );
  });

  it('compiles thresholds that are equal to minC and maxC, within the steps and limits of the protocol', () => {
    fc.assert(
      fc.property(alerts, (each) => {
        const rules = rulesOf([each]).filter((rule) => 'threshold' in rule) as ThresholdRule[];
        const threshold = (condition: string) =>
          rules.find((rule) => rule.condition === condition)?.threshold;
        const { minC, maxC } = enforcedBounds(each);
        assert.equal(threshold('LOW_THRESHOLD') ?? null, minC);
        assert.equal(threshold('HIGH_THRESHOLD') ?? null, maxC);
        for (const rule of rules) {
          for (const value of [rule.threshold, rule.hysteresis]) {
            assert.equal(value, Math.round(value * 10) / 10);
            assert.ok(!Object.is(value, -0));
          }
          assert.ok(rule.hysteresis >= 0);
          if (minC !== null && maxC !== null) assert.ok(rule.hysteresis <= maxC - minC + 1e-9);
        }
      }),
    );
  });

  it('transmits exactly at the breaches and returns that the alert asks for', () => {
    const near = fc.record({
      list: fc.array(alerts, { minLength: 1, maxLength: 4 }),
      steps: fc.array(
        fc.record({
          around: fc.nat({ max: 7 }),
          probe: fc.integer({ min: -12, max: 12 }),
          ambient: fc.integer({ min: -12, max: 12 }),
        }),
        { minLength: 1, maxLength: 40 },
      ),
    });
    fc.assert(
      fc.property(near, fc.constantFrom(single, double), ({ list, steps }, capabilities) => {
        const bounds = list
          .flatMap(({ lowC, highC }) => [lowC, highC])
          .filter((bound) => bound !== undefined);
        const samples = steps.map(({ around, probe, ambient }) => {
          const base = nearestTenth(bounds[around % bounds.length] ?? 0);
          return { probe: base + probe, ambient: capabilities === single ? base + probe : base + ambient };
        });
        const bySlot = samples.map(({ probe, ambient }) => ({
          [slotAt('ambient', capabilities)]: ambient,
          [slotAt('probe', capabilities)]: probe,
        }));
        const rules = rulesOf(list, capabilities);
        const sent = transmissionsOf(rules, bySlot);
        const logicPositions = rules.flatMap(({ condition }, at) =>
          condition === 'LOGIC_OPERATOR' ? [at] : [],
        );
        const telling = list.filter((each) => each.transmitOnBreach || each.transmitOnReturn);
        assert.equal(logicPositions.length, telling.length);
        for (const [index, each] of telling.entries()) {
          const own = sent.filter(({ rule }) => rule === logicPositions[index]).map(({ sample }) => sample);
          const curve = samples.map((sample) => sample[each.channel]);
          assert.deepEqual(own, expectedSamples(each, curve));
        }
      }),
      { numRuns: 3000 },
    );
  }).timeout(10_000);

  it('transmits for a fridge at 8.1, not again at 7.6, and on return at 7.5', () => {
    const samples = [5, 8, 8.1, 9, 7.6, 7.5, 5, 1.9, 2.4, 2.5].map((celsius) => ({
      0: Math.round(celsius * 10),
    }));
    const sent = transmissionsOf(rulesOf([fridge]), samples);
    assert.deepEqual(
      sent.map(({ sample }) => sample),
      [2, 5, 7, 9],
    );
  });

  it('lets the temperature return in every case, even where rounding makes the bounds equal', () => {
    const narrow = alert({ lowC: 1.96, highC: 8.04, hysteresisC: 6.08 });
    const [high, low] = rulesOf([narrow]) as ThresholdRule[];
    assert.deepEqual([high?.threshold, low?.threshold, high?.hysteresis], [8, 2, 6]);
  });
});

describe('The channel of an alert', () => {
  const slots = (capabilities: DeviceCapabilities) =>
    PROBE_POSITIONS.map((position) => slotAt(position, capabilities));

  it('uses the last temperature channel for the probe and the first for ambient', () => {
    assert.deepEqual(slots(double), [2, 0]);
    assert.deepEqual(slots({ ...single, channelTypes: [2, 1, 1, 2, 1, 0] }), [4, 1]);
  });

  it('uses a single temperature channel for both positions', () => {
    assert.deepEqual(slots({ ...single, channelTypes: [2, 0, 0, 1, 0, 0] }), [3, 3]);
  });

  it('derives the channels from the model before any report, and uses the first channel for unknown models', () => {
    assert.deepEqual(slots({ ...unreported, model: 'TVO-THT' }), [2, 0]);
    assert.deepEqual(slots({ ...unreported, model: 'tvo-tht ' }), [2, 0]);
    assert.deepEqual(slots({ ...unreported, model: 'TVO-X' }), [0, 0]);
    assert.deepEqual(slots(unreported), [0, 0]);
  });

  it('prefers the channels that the device showed to those of its model', () => {
    assert.deepEqual(slots({ ...single, model: 'TVO-THT' }), [0, 0]);
    assert.deepEqual(slots({ channelTypes: [], model: 'TVO-THT', ruleSlots: 12 }), [0, 0]);
  });
});

describe('The key of a variant', () => {
  const anyVariant = fc.record<DeviceCapabilities>({
    channelTypes: fc.option(fc.array(fc.constantFrom(0, 1, 2), { maxLength: 6 })),
    model: fc.option(fc.constantFrom('TVO-THT', 'TVO-T', 'other')),
    ruleSlots: fc.constantFrom(12, 16),
  });

  it('gives equal keys only to variants that compile and warn alike', () => {
    fc.assert(
      fc.property(anyVariant, anyVariant, alertLists, (a, b, list) => {
        fc.pre(capabilitiesKey(a) === capabilitiesKey(b));
        const parts = { ...nothing, alerts: list };
        assert.deepEqual(compileProfile(parts, a, winter), compileProfile(parts, b, winter));
        assert.deepEqual(compileWarnings(parts, a), compileWarnings(parts, b));
      }),
    );
  });

  it('gives devices equal keys whatever the free text of their models', () => {
    const keys = ['A', 'B', null].map((model) => capabilitiesKey({ ...single, model }));
    assert.equal(new Set(keys).size, 1);
    assert.notEqual(capabilitiesKey(single), capabilitiesKey(unreported));
    assert.notEqual(capabilitiesKey(single), capabilitiesKey({ ...single, ruleSlots: 16 }));
  });
});

describe('A compiled schedule', () => {
  it('enables rules exactly within the local window', () => {
    fc.assert(
      fc.property(weekSchedules, moments, fc.integer({ min: -5000, max: 5000 }), (schedule, at, minutes) => {
        const then = new Date(at.getTime() + minutes * MINUTE_MS);
        fc.pre(offsetOf(schedule.timezone, at) === offsetOf(schedule.timezone, then));
        const { weekday, minute } = localClock(schedule.timezone, then);
        const isOn = isRuleOn(calendarsOf(schedule, at), 0, then);
        assert.equal(isOn, isWithinSchedule(schedule, weekday, minute));
      }),
      { numRuns: 1500 },
    );
  }).timeout(10_000);

  it('enables rules in exactly the minutes of the window, over a week and past midnight', () => {
    const sunday = Date.UTC(2026, 0, 11);
    fc.assert(
      fc.property(weekSchedules, (window) => {
        const schedule = { ...window, timezone: 'Asia/Kathmandu' };
        const calendars = calendarsOf(schedule, winter);
        for (let minute = 0; minute < 7 * 1440; minute += 1) {
          const then = new Date(sunday + (minute - 345) * MINUTE_MS);
          const weekday = WEEKDAYS[Math.floor(minute / 1440)] ?? '';
          if (isRuleOn(calendars, 0, then) !== isWithinSchedule(schedule, weekday, minute % 1440)) {
            assert.fail(`${weekday} ${timeOfDay(minute % 1440)} of ${JSON.stringify(schedule)}`);
          }
        }
      }),
      { numRuns: 40 },
    );
  }).timeout(10_000);

  it('puts all rules in use, and no others, under the schedule', () => {
    fc.assert(
      fc.property(alertLists, weekSchedules, variants, (list, schedule, capabilities) => {
        const parts = { ...nothing, alerts: list, schedule };
        const { alarmRules = [], calendars = [] } = compileProfile(parts, capabilities, winter);
        const inUse = alarmRules.flatMap(({ condition }, at) => (condition === 'DISABLED' ? [] : [at]));
        const week = calendars.filter(({ type }) => type === 'WEEK');
        assert.equal(week.length > 0, inUse.length > 0);
        for (const { enableRules } of week) assert.deepEqual(enableRules, inUse);
      }),
    );
  });

  it('uses one calendar for a window within a day, up to midnight, or on all days', () => {
    const oneWindow = (schedule: WeekSchedule) => {
      const [first, ...rest] = calendarsOf(schedule, winter);
      assert.deepEqual(rest, Array(5).fill(DISABLED_CALENDAR));
      return first;
    };
    const common = { type: 'WEEK', enableRules: [0, 1, 2], timezone: 60 };
    assert.deepEqual(oneWindow(officeHours), {
      ...common,
      days: [1, 2, 3, 4, 5],
      fromTime: 480,
      toTime: 1080,
    });
    const untilMidnight: WeekSchedule = { ...officeHours, days: ['friday'], from: '22:00', to: '00:00' };
    assert.deepEqual(oneWindow(untilMidnight), { ...common, days: [5], fromTime: 1320, toTime: 0 });
    const nightly: WeekSchedule = { ...officeHours, days: [...WEEKDAYS], from: '22:00', to: '06:00' };
    const everyDay = [0, 1, 2, 3, 4, 5, 6];
    assert.deepEqual(oneWindow(nightly), { ...common, days: everyDay, fromTime: 1320, toTime: 360 });
  });

  it('uses a second calendar for the part of a night after midnight', () => {
    const night: WeekSchedule = { ...officeHours, days: ['saturday', 'friday'], from: '22:00', to: '06:00' };
    const common = { type: 'WEEK', enableRules: [0, 1, 2], timezone: 120 };
    assert.deepEqual(
      calendarsOf(night, summer),
      filled<unknown>(
        [
          { ...common, days: [5, 6], fromTime: 1320, toTime: 0 },
          { ...common, days: [0, 6], fromTime: 0, toTime: 360 },
        ],
        DISABLED_CALENDAR,
        6,
      ),
    );
  });

  it('uses the offset from UTC at the moment of compiling, in whole quarters of an hour', () => {
    const timezoneOf = (timezone: string, at: Date) => {
      const [first] = calendarsOf({ ...officeHours, timezone }, at);
      return first?.type === 'WEEK' ? first.timezone : null;
    };
    assert.equal(timezoneOf('Asia/Kathmandu', winter), 345);
    assert.equal(timezoneOf('Pacific/Marquesas', winter), -570);
    assert.equal(timezoneOf('America/St_Johns', winter), -210);
    assert.equal(timezoneOf('America/St_Johns', summer), -150);
    assert.equal(timezoneOf('Africa/Monrovia', new Date('1970-01-01T00:00:00Z')), -45);
    assert.equal(timezoneOf('Asia/Kolkata', new Date('1860-01-01T00:00:00Z')), 360);
    assert.ok(Object.is(timezoneOf('UTC', winter), 0));
    for (const timezone of Intl.supportedValuesOf('timeZone')) {
      const minutes = timezoneOf(timezone, summer) ?? Number.NaN;
      assert.ok(minutes % 15 === 0 && minutes >= -720 && minutes <= 840, `${timezone}: ${minutes}`);
    }
  });

  it('applies a schedule without alerts to the rules of the device, or to every slot when these are unknown', () => {
    const parts: ProfileSnapshot = { ...nothing, schedule: officeHours };
    const masks = (deviceRules?: AlarmRule[] | null) => {
      const configuration = compileProfile(parts, single, winter, deviceRules);
      assert.deepEqual(Object.keys(configuration), ['calendars']);
      return configuration.calendars?.map(({ enableRules }) => enableRules);
    };
    const none: number[][] = Array(5).fill([]);
    const onDevice = [DISABLED_RULE, ...rulesOf([fridge]).slice(0, 11)];
    assert.deepEqual(masks(onDevice), [[1, 2, 3], ...none]);
    assert.deepEqual(masks(null), [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], ...none]);
    assert.deepEqual(masks(), masks(null));
    assert.deepEqual(masks(Array(12).fill(DISABLED_RULE)), [[], ...none]);
  });

  it('disables all calendars for a schedule of always, and for alerts without a schedule', () => {
    const off = Array(6).fill(DISABLED_CALENDAR);
    assert.deepEqual(calendarsOf({ always: true }, winter), off);
    assert.deepEqual(compileProfile({ ...nothing, schedule: { always: true } }, single, winter), {
      calendars: off,
    });
    assert.deepEqual(compileProfile({ ...nothing, alerts: [fridge] }, single, winter).calendars, off);
  });

  it('applies the schedule to the rules of the profile, not of the device, when the profile has alerts', () => {
    const parts: ProfileSnapshot = { ...nothing, alerts: [fridge], schedule: officeHours };
    const deviceRules = Array<AlarmRule>(12).fill(DISABLED_RULE);
    assert.deepEqual(
      compileProfile(parts, single, winter, deviceRules),
      compileProfile(parts, single, winter),
    );
  });
});

describe('The warnings of a dry run', () => {
  const warnings = (parts: Partial<ProfileSnapshot>, capabilities = double) =>
    compileWarnings({ ...nothing, ...parts }, capabilities);

  it('gives no warnings for an ordinary profile', () => {
    const intervals = { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 18_000 };
    assert.deepEqual(warnings({ alerts: [fridge], schedule: officeHours, intervals }), []);
    assert.deepEqual(warnings({}), []);
  });

  it('warns when data would be sent less often than every 60 measurements', () => {
    const intervals = { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 18_001 };
    assert.match(
      warnings({ intervals }).join(),
      /^intervals\.transmissionIntervalSeconds is more than 60 .*18000 s/,
    );
  });

  it('warns with the number of devices whose intervals do not fit once they are merged', () => {
    const merged = (measurementPeriodBase: number, transmissionInterval?: number) => ({
      measurementPeriodBase,
      measurementPeriodFactor: 2,
      transmissionInterval,
    });
    assert.deepEqual(mergedWarnings([merged(30, 60), merged(30, 3_600), merged(30), {}]), []);
    assert.deepEqual(
      mergedWarnings([merged(31, 61), merged(31, 60), merged(30, 3_601)]).map((text) => text.slice(0, 99)),
      [
        'intervals: with the other interval that they have, 2 of these devices would transmit more often tha',
        'intervals: with the other interval that they have, 1 of these devices would transmit less often tha',
      ],
    );
  });

  it('warns when the device has no ambient channel of its own, no temperature channel, or has shown none yet', () => {
    const ambient = alert({ type: 'high', highC: 8, channel: 'ambient' });
    assert.match(
      warnings({ alerts: [fridge, ambient] }, single).join(),
      /^temperatureAlerts\[1\]\.channel: .*one/,
    );
    assert.match(
      warnings({ alerts: [ambient] }, { ...single, channelTypes: [2, 2] }).join(),
      /^temperatureAlerts cannot fire/,
    );
    assert.match(warnings({ alerts: [ambient] }, unreported).join(), /channel 1 until/);
    assert.deepEqual(warnings({ alerts: [] }, unreported), []);
  });

  it('warns when rounding leaves nothing between the bounds, or a schedule has no rules', () => {
    const point = alert({ lowC: 2.01, highC: 2.04 });
    assert.match(warnings({ alerts: [point] }).join(), /^temperatureAlerts\[0\]: .* both 2 once rounded/);
    assert.match(warnings({ alerts: [], schedule: officeHours }).join(), /^schedule has nothing to switch/);
  });

  it('warns that an alert on return alone also transmits when it starts within its bounds', () => {
    const onReturn = { ...fridge, transmitOnBreach: false };
    assert.match(
      warnings({ alerts: [onReturn] }).join(),
      /^temperatureAlerts\[0\]: with transmitOnReturn alone/,
    );
    const sent = transmissionsOf(rulesOf([onReturn]), [{ 0: 50 }]);
    assert.equal(sent.length, 1);
  });
});
