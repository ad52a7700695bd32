/** The alerts of a profile, read back from the configuration that it compiles to. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { definitionsOf, isActiveAt } from '../../src/alerts/alert-definition.ts';
import type { DeviceCapabilities } from '../../src/devices/device-capabilities.ts';
import { PROBE_POSITIONS } from '../../src/devices/device-capabilities.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { compileProfile } from '../../src/profiles/compile-profile.ts';
import {
  BOUNDS_TYPES,
  type Schedule,
  type TemperatureAlert,
  type WeekSchedule,
} from '../../src/profiles/profile.ts';
import { isWithinSchedule, localClock, minutesOf, offsetOf } from '../profiles/customer-view.ts';
import { moments, weekSchedules, winter } from '../profiles/fixtures.ts';

/** The channels of the ambient sensor and of the probe of each, counted from 1. */
const DEVICES: Array<{ capabilities: DeviceCapabilities; ambient: number; probe: number }> = [
  { capabilities: { channelTypes: null, model: null, ruleSlots: 12 }, ambient: 1, probe: 1 },
  { capabilities: { channelTypes: null, model: 'TVO-THT', ruleSlots: 16 }, ambient: 1, probe: 3 },
  {
    capabilities: { channelTypes: [2, 1, 0, 0, 0, 0], model: 'TVO-THT', ruleSlots: 12 },
    ambient: 2,
    probe: 2,
  },
  { capabilities: { channelTypes: [1, 2, 1, 1, 0, 0], model: null, ruleSlots: 16 }, ambient: 1, probe: 4 },
];
const devices = fc.constantFrom(...DEVICES);

interface AlertCase {
  alert: TemperatureAlert;
  /** Tenths, the steps of a device. */
  low: number | null;
  high: number | null;
  hysteresis: number;
}

/** The input is in hundredths; halves are rounded away from zero, and there is one zero. */
const tenths = (hundredths: number) =>
  Math.sign(hundredths) * Math.floor((Math.abs(hundredths) + 5) / 10) + 0;

const alertCases: fc.Arbitrary<AlertCase> = fc
  .record({
    type: fc.constantFrom(...BOUNDS_TYPES),
    channel: fc.constantFrom(...PROBE_POSITIONS),
    low: fc.integer({ min: -3_000, max: 3_000 }),
    width: fc.integer({ min: 1, max: 300 }),
    hysteresis: fc.integer({ min: 0, max: 300 }),
    transmitOnBreach: fc.boolean(),
    transmitOnReturn: fc.boolean(),
  })
  .map(({ type, channel, low, width, hysteresis, ...transmit }) => {
    const kept = type === 'range' ? Math.min(hysteresis, width) : hysteresis;
    const hundredths = kept < 10 ? 0 : kept;
    const bounds = { low: tenths(low), high: tenths(low + width) };
    const room = type === 'range' ? bounds.high - bounds.low : Number.POSITIVE_INFINITY;
    return {
      alert: {
        type,
        channel,
        ...(type !== 'high' && { lowC: low / 100 }),
        ...(type !== 'low' && { highC: (low + width) / 100 }),
        hysteresisC: hundredths / 100,
        ...transmit,
      },
      low: type === 'high' ? null : bounds.low,
      high: type === 'low' ? null : bounds.high,
      hysteresis: Math.min(tenths(hundredths), room),
    };
  });

const isQuiet = ({ transmitOnBreach, transmitOnReturn }: TemperatureAlert) =>
  !transmitOnBreach && !transmitOnReturn;
/**
 * A high and a low alert in succession that never transmit look the same on the device as one range that
 * never does, because their rules are not joined.
 */
const looksLikeOne = (all: AlertCase[]) =>
  all.some(({ alert }, index) => {
    const next = all[index + 1]?.alert;
    return alert.type === 'high' && next?.type === 'low' && isQuiet(alert) && isQuiet(next);
  });
const profiles = fc.array(alertCases, { maxLength: 4 }).filter((all) => !looksLikeOne(all));

function isScheduled(schedule: WeekSchedule, at: Date): boolean {
  const { weekday, minute } = localClock(schedule.timezone, at);
  return isWithinSchedule(schedule, weekday, minute);
}

const compiled = (
  alerts: TemperatureAlert[],
  capabilities: DeviceCapabilities,
  schedule: Schedule | null,
  at = winter,
) => definitionsOf(compileProfile({ alerts, schedule, intervals: null }, capabilities, at));

describe('The definitions of alerts', () => {
  it('reads the alerts of a profile from its configuration, in their order and in the steps of the device', () => {
    fc.assert(
      fc.property(profiles, devices, (all, { capabilities, ambient, probe }) => {
        const alerts = all.map(({ alert }) => alert);
        assert.deepEqual(
          compiled(alerts, capabilities, null).map(({ channel, bounds, windows }) => ({
            channel,
            bounds,
            windows,
          })),
          all.map(({ alert, low, high, hysteresis }) => ({
            channel: alert.channel === 'probe' ? probe : ambient,
            bounds: {
              lowC: low === null ? null : low / 10,
              highC: high === null ? null : high / 10,
              hysteresisC: hysteresis / 10,
            },
            windows: null,
          })),
        );
      }),
    );
  });

  it('reads delay and severity beside the rules, even if no rule joins the bounds of an alert', () => {
    const alert = {
      channel: 'probe',
      hysteresisC: 0,
      transmitOnBreach: false,
      transmitOnReturn: false,
    } as const;
    const definitions = compiled(
      [
        { ...alert, type: 'high', highC: 8, delayMinutes: 30 },
        { ...alert, type: 'low', lowC: 2, severity: 'warning' },
        { ...alert, type: 'range', lowC: -20, highC: 20 },
      ],
      (DEVICES[0] as (typeof DEVICES)[0]).capabilities,
      null,
    );
    assert.deepEqual(
      definitions.map(({ bounds: { lowC, highC }, delayMinutes, severity }) => ({
        lowC,
        highC,
        delayMinutes,
        severity,
      })),
      [
        { lowC: null, highC: 8, delayMinutes: 30, severity: 'critical' },
        { lowC: 2, highC: null, delayMinutes: 0, severity: 'warning' },
        { lowC: -20, highC: 20, delayMinutes: 0, severity: 'critical' },
      ],
    );
  });

  it('gives each definition of a configuration a rule of its own', () => {
    fc.assert(
      fc.property(profiles, devices, weekSchedules, (all, { capabilities }, schedule) => {
        const alerts = all.map(({ alert }) => alert);
        const rules = compiled(alerts, capabilities, schedule).map(({ rule }) => rule);
        assert.equal(new Set(rules).size, all.length);
      }),
    );
  });

  it('applies within the schedule and at no other time, while the time zone keeps its offset', () => {
    fc.assert(
      fc.property(
        fc.array(alertCases, { minLength: 1, maxLength: 4 }),
        devices,
        weekSchedules,
        moments,
        fc.array(fc.integer({ min: -20_160, max: 20_160 }), { minLength: 20, maxLength: 20 }),
        (all, { capabilities }, schedule, compiledAt, minutesLater) => {
          const alerts = all.map(({ alert }) => alert);
          const definitions = compiled(alerts, capabilities, schedule, compiledAt);
          const offset = offsetOf(schedule.timezone, compiledAt);
          const times = minutesLater
            .map((minutes) => new Date(compiledAt.getTime() + minutes * MINUTE_MS))
            .filter((at) => offsetOf(schedule.timezone, at) === offset);
          for (const at of times) {
            const expected = isScheduled(schedule, at);
            for (const definition of definitions)
              assert.equal(isActiveAt(definition, at), expected, at.toISOString());
          }
        },
      ),
    );
  });

  it('starts and ends to the minute at the edges of the schedule', () => {
    fc.assert(
      fc.property(weekSchedules, moments, devices, (schedule, compiledAt, { capabilities }) => {
        const alert = { type: 'high', channel: 'probe', highC: 8, hysteresisC: 0 } as const;
        const alerts = [{ ...alert, transmitOnBreach: true, transmitOnReturn: true }];
        const [definition] = compiled(alerts, capabilities, schedule, compiledAt);
        const offset = offsetOf(schedule.timezone, compiledAt);
        const { minute } = localClock(schedule.timezone, compiledAt);
        for (const edge of [schedule.from, schedule.to]) {
          const away = minutesOf(edge) - minute;
          const start = Math.floor(compiledAt.getTime() / MINUTE_MS) * MINUTE_MS + away * MINUTE_MS;
          for (let day = -3; day <= 3; day++) {
            for (const milliseconds of [-1, 0]) {
              const at = new Date(start + day * 1_440 * MINUTE_MS + milliseconds);
              if (offsetOf(schedule.timezone, at) !== offset) continue;
              assert.equal(isActiveAt(definition as never, at), isScheduled(schedule, at), at.toISOString());
            }
          }
        }
      }),
    );
  });

  it('reads no definition from a configuration without rules', () => {
    assert.deepEqual(definitionsOf({}), []);
    assert.deepEqual(definitionsOf({ measurementPeriodBase: 60, calendars: [] }), []);
    assert.deepEqual(compiled([], (DEVICES[0] as (typeof DEVICES)[0]).capabilities, null), []);
  });

  it('reads high and low bounds that are not joined as separate definitions', () => {
    const threshold = (condition: 'HIGH_THRESHOLD' | 'LOW_THRESHOLD', celsius: number, slots: number[]) => ({
      condition,
      slotNumbers: slots,
      alarmRuleType: 'TEMPERATURE' as const,
      threshold: celsius,
      hysteresis: 0,
      mode: 'CONSECUTIVE_SAMPLES' as const,
      samples: 1,
      action: 'TRIGGER_TRANSMISSION' as const,
    });
    const alarmRules = [threshold('LOW_THRESHOLD', 2, [0]), threshold('HIGH_THRESHOLD', 8, [0, 2])];
    assert.deepEqual(
      definitionsOf({ alarmRules }).map(({ rule, channel, bounds: { lowC, highC } }) => [
        rule,
        channel,
        lowC,
        highC,
      ]),
      [
        [0, 1, 2, null],
        [1, 1, null, 8],
        [1, 3, null, 8],
      ],
    );
  });
});
