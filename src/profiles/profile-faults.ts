/**
 * The rules between the fields of one alert, one schedule or one new profile, which a schema of single fields
 * cannot express. Each function returns the first fault as "field, and a valid value", which the schema
 * prefixes with the path, or null.
 */
import type { BoundsType, ProfileInput, Schedule, TemperatureAlert, WeekSchedule } from './profile.ts';

/** °C, the device's step. */
const STEP_C = 0.1;
/** °C, for alerts with one bound. */
const HYSTERESIS_MAX_C = 100;
/** Absorbs errors of binary fractions: 8.1 - 2.1 is a little less than 6. */
const NOISE_C = 1e-9;

const BOUNDS = {
  range: ['lowC', 'highC'],
  high: ['highC'],
  low: ['lowC'],
} as const satisfies Record<BoundsType, ReadonlyArray<'lowC' | 'highC'>>;

export function alertFault(alert: TemperatureAlert): string | null {
  return boundsFault(alert) ?? hysteresisFault(alert);
}

function boundsFault(alert: TemperatureAlert): string | null {
  const needed: readonly string[] = BOUNDS[alert.type];
  const has = `an alert of type ${alert.type} has ${needed.length === 1 ? 'only ' : ''}${needed.join(' and ')}`;
  for (const bound of ['lowC', 'highC'] as const) {
    const isGiven = alert[bound] !== undefined;
    if (isGiven && !needed.includes(bound)) return `${bound} must be left out: ${has}`;
    if (!isGiven && needed.includes(bound)) return `${bound} is required: ${has}`;
  }
  const { lowC = -Infinity, highC = Infinity } = alert;
  return lowC < highC ? null : 'lowC must be lower than highC';
}

function hysteresisFault({ lowC, highC, hysteresisC }: TemperatureAlert): string | null {
  if (hysteresisC === 0) return null;
  const isRange = lowC !== undefined && highC !== undefined;
  const maxC = isRange ? Number((highC - lowC).toFixed(9)) : HYSTERESIS_MAX_C;
  if (hysteresisC >= STEP_C && hysteresisC <= maxC + NOISE_C) return null;
  if (maxC < STEP_C) return `hysteresisC must be 0: highC is less than ${STEP_C} above lowC`;
  return `hysteresisC must be 0 or from ${STEP_C} to ${maxC}${isRange ? ', which is highC - lowC' : ''}`;
}

const WINDOW_FIELDS = ['days', 'from', 'to', 'timezone'] as const;

export function scheduleFault(schedule: Schedule): string | null {
  const window: Partial<WeekSchedule> = schedule.always ? {} : schedule;
  for (const field of WINDOW_FIELDS) {
    if (schedule.always && field in schedule) return `${field} must be left out when always is true`;
    if (!schedule.always && window[field] === undefined) return `${field} is required when always is false`;
  }
  return window.from !== undefined && window.from === window.to
    ? 'to must not be the same time as from; 00:00 to 24:00 is the whole day'
    : null;
}

export function newProfileFault({
  slug,
  name,
  temperatureAlerts,
  schedule,
  intervals,
}: ProfileInput): string | null {
  if (slug === undefined && name === undefined) return 'slug or name must be given';
  if (temperatureAlerts || schedule || intervals) return null;
  return 'at least one of temperatureAlerts, schedule and intervals must be given';
}
