/**
 * Compiles a profile to the part of a logger's configuration that it sets, for one variant of device at one
 * moment. Pure: the same input always gives the same configuration, so devices can share it and a repeat
 * changes nothing.
 *
 * Only the given parts of the profile appear: its intervals set their own keys; its alerts set the rules and,
 * with its schedule (always, when it has none), the calendars, because calendars refer to rules by position,
 * and calendars left over from other rules would switch the new ones; a schedule alone sets the calendars for
 * the rules of the device.
 */
import {
  type AlarmRule,
  type ConfigurationKey,
  type DeviceConfiguration,
  MEASUREMENT_PERIOD_MAX,
  measurementIntervalSeconds,
  merged,
} from '../devices/configuration.ts';
import type { DeviceCapabilities } from '../devices/device-capabilities.ts';
import { compileAlerts, rulesByInterval } from './compile-alerts.ts';
import { compileCalendars } from './compile-schedule.ts';
import type { Intervals, Schedule, TemperatureAlert } from './profile.ts';

/** The parts of a profile that reach a device; null: the profile was never given this part. */
export interface ProfileSnapshot {
  alerts: TemperatureAlert[] | null;
  schedule: Schedule | null;
  intervals: Intervals | null;
}

/**
 * `known`: the current settings of the device. A schedule without alerts applies to its rules, or to every
 * slot if they are unknown; delays without a measurement interval apply to its interval.
 */
export function compileProfile(
  { alerts, schedule, intervals }: ProfileSnapshot,
  capabilities: DeviceCapabilities,
  at: Date,
  known: DeviceConfiguration = {},
): DeviceConfiguration {
  const compiled: DeviceConfiguration = intervals ? compileIntervals(intervals) : {};
  const intervalSeconds = measurementIntervalSeconds(merged(known, compiled));
  const alarmRules = alerts && compileAlerts(alerts, capabilities, intervalSeconds);
  const enableRules = rulesInUse(alarmRules ?? known.alarmRules ?? null, capabilities);
  return {
    ...compiled,
    ...(alarmRules && { alarmRules }),
    ...((alarmRules || schedule) && {
      calendars: compileCalendars(schedule ?? { always: true }, enableRules, at),
    }),
  };
}

/**
 * A pending change after some of its settings were taken out, beside the `running` settings: its rules and calendars may
 * have been compiled for those. Delays then count samples of the interval that is left, and a schedule switches the rules
 * that are left.
 */
export function fitted(
  change: DeviceConfiguration,
  running: DeviceConfiguration,
  takenOut: readonly ConfigurationKey[],
  capabilities: DeviceCapabilities,
): DeviceConfiguration {
  const hasRulesTakenOut = takenOut.includes('alarmRules');
  const rules = change.alarmRules ?? (change.measurementPeriodBase ? running.alarmRules : undefined);
  const isOther = hasRulesTakenOut || takenOut.includes('measurementPeriodBase');
  const alarmRules =
    rules && isOther && rulesByInterval(rules, measurementIntervalSeconds(merged(running, change)));
  const enableRules = rulesInUse(change.alarmRules ?? running.alarmRules ?? null, capabilities);
  return {
    ...change,
    ...(alarmRules && { alarmRules }),
    ...(change.calendars &&
      hasRulesTakenOut && {
        calendars: change.calendars.map((each) => (each.type === 'WEEK' ? { ...each, enableRules } : each)),
      }),
  };
}

/** Positions, counted from 0. */
function rulesInUse(rules: AlarmRule[] | null, { ruleSlots }: DeviceCapabilities): number[] {
  const slots = Array.from({ length: ruleSlots }, (_, position) => position);
  if (rules === null) return slots;
  return slots.filter((position) => (rules[position]?.condition ?? 'DISABLED') !== 'DISABLED');
}

function compileIntervals({
  measurementIntervalMinutes: minutes,
  transmissionIntervalSeconds: seconds,
}: Intervals): DeviceConfiguration {
  return {
    ...(minutes !== undefined && measurementPeriod(minutes * 60)),
    ...(seconds !== undefined && { transmissionInterval: seconds }),
  };
}

/**
 * The smallest factor that divides evenly and leaves a base in range: 15 for the largest interval, 10 days.
 */
function measurementPeriod(intervalSeconds: number): DeviceConfiguration {
  let factor = Math.ceil(intervalSeconds / MEASUREMENT_PERIOD_MAX);
  while (intervalSeconds % factor !== 0) factor += 1;
  return { measurementPeriodBase: intervalSeconds / factor, measurementPeriodFactor: factor };
}
