/** Profiles, schedules and variants of devices, by example and at random. */
import fc from 'fast-check';
import type { AlarmRule, Calendar } from '../../src/devices/configuration.ts';
import type { DeviceCapabilities } from '../../src/devices/device-capabilities.ts';
import { PROBE_POSITIONS } from '../../src/devices/device-capabilities.ts';
import { compileProfile, type ProfileSnapshot } from '../../src/profiles/compile-profile.ts';
import {
  BOUNDS_TYPES,
  type Schedule,
  type TemperatureAlert,
  WEEKDAYS,
  type WeekSchedule,
} from '../../src/profiles/profile.ts';

export const winter = new Date('2026-01-15T12:00:00Z');
export const summer = new Date('2026-07-15T12:00:00Z');

/** Temperature alone, temperature-humidity-temperature, and a device that has reported nothing. */
export const single: DeviceCapabilities = { channelTypes: [1, 0, 0, 0, 0, 0], model: null, ruleSlots: 12 };
export const double: DeviceCapabilities = { channelTypes: [1, 2, 1, 0, 0, 0], model: null, ruleSlots: 16 };
export const unreported: DeviceCapabilities = { channelTypes: null, model: null, ruleSlots: 12 };
export const variants = fc.constantFrom(single, double, unreported);

export const nothing: ProfileSnapshot = { alerts: null, schedule: null, intervals: null };
export const alert = (fields: Partial<TemperatureAlert>): TemperatureAlert => ({
  type: 'range',
  channel: 'probe',
  hysteresisC: 0,
  transmitOnBreach: true,
  transmitOnReturn: true,
  ...fields,
});
export const fridge = alert({ lowC: 2, highC: 8, hysteresisC: 0.5 });
export const officeHours: WeekSchedule = {
  always: false,
  days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  from: '08:00',
  to: '18:00',
  timezone: 'Europe/Stockholm',
};

export const rulesOf = (alerts: TemperatureAlert[], capabilities: DeviceCapabilities = single): AlarmRule[] =>
  compileProfile({ ...nothing, alerts }, capabilities, winter).alarmRules ?? [];
export const calendarsOf = (schedule: Schedule, at: Date): Calendar[] =>
  compileProfile({ ...nothing, alerts: [fridge], schedule }, single, at).calendars ?? [];
export const filled = <T>(list: T[], fill: T, length: number): T[] => [
  ...list,
  ...Array(length - list.length).fill(fill),
];

/** Hundredths of a degree, so that rounding occurs and the tests' own arithmetic is exact. */
export const alerts = fc
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
export const alertLists = fc.array(alerts, { maxLength: 4 });

export const timeOfDay = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
export const ZONES = [
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
export const weekSchedules = fc
  .record({
    days: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }),
    from: minuteOfDay,
    to: fc.oneof({ weight: 4, arbitrary: minuteOfDay }, fc.constant(1440)),
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
export const moments = fc.date({
  min: new Date('2024-01-01T00:00:00Z'),
  max: new Date('2028-01-01T00:00:00Z'),
  noInvalidDate: true,
});
