/**
 * Sentences for the dry run about deviations of a device from its profile. Limits that only the device has
 * are warnings and not errors, because another device may not have them.
 */

import type { DeviceConfiguration } from '../devices/configuration.ts';
import { type DeviceCapabilities, temperatureSlots } from '../devices/device-capabilities.ts';
import type { ProfileSnapshot } from './compile-profile.ts';
import { enforcedBounds, type Intervals, type Schedule, type TemperatureAlert } from './profile.ts';

/** Transmission over measurement interval; Efento's NB-IoT logger manual, page 15. */
const MEASUREMENTS_PER_TRANSMISSION_MAX = 60;

/** Each sentence names the field that it is about. */
export function compileWarnings(
  { alerts, schedule, intervals }: ProfileSnapshot,
  capabilities: DeviceCapabilities,
): string[] {
  return [
    ...intervalWarnings(intervals ?? {}),
    ...channelWarnings(alerts ?? [], capabilities),
    ...(alerts ?? []).flatMap((alert, index) => alertWarnings(alert, `temperatureAlerts[${index}]`)),
    ...scheduleWarnings(alerts, schedule),
  ];
}

function intervalWarnings(intervals: Intervals): string[] {
  const { measurementIntervalMinutes: minutes, transmissionIntervalSeconds: seconds } = intervals;
  if (minutes === undefined || seconds === undefined) return [];
  const secondsMax = minutes * 60 * MEASUREMENTS_PER_TRANSMISSION_MAX;
  if (seconds <= secondsMax) return [];
  return [
    `intervals.transmissionIntervalSeconds is more than ${MEASUREMENTS_PER_TRANSMISSION_MAX} measurement intervals (${secondsMax} s): the device's manual allows no more, so it may refuse`,
  ];
}

/**
 * For profiles with one interval: whether it fits the other one of each device. `configs` are the
 * configurations after the merge.
 */
export function mergedWarnings(configs: CountedConfiguration[]): string[] {
  const count = (matches: (measurements: number) => boolean) =>
    configs
      .filter(({ config }) => matches(measurementsPerTransmission(config)))
      .reduce((total, { deviceCount }) => total + deviceCount, 0);
  const tooOften = count((measurements) => measurements < 1);
  const tooSeldom = count((measurements) => measurements > MEASUREMENTS_PER_TRANSMISSION_MAX);
  const prefix = (devices: number) =>
    `intervals: with the other interval that they have, ${devices} of these devices`;
  return [
    ...(tooOften > 0
      ? [`${prefix(tooOften)} would transmit more often than they measure, so they may refuse`]
      : []),
    ...(tooSeldom > 0
      ? [
          `${prefix(tooSeldom)} would transmit less often than every ${MEASUREMENTS_PER_TRANSMISSION_MAX} measurements, so they may refuse`,
        ]
      : []),
  ];
}

interface CountedConfiguration {
  config: DeviceConfiguration;
  deviceCount: number;
}

/** NaN if one of the intervals is unknown. */
const measurementsPerTransmission = (config: DeviceConfiguration): number =>
  (config.transmissionInterval ?? Number.NaN) /
  ((config.measurementPeriodBase ?? Number.NaN) * (config.measurementPeriodFactor ?? 1));

function channelWarnings(alerts: TemperatureAlert[], capabilities: DeviceCapabilities): string[] {
  if (alerts.length === 0) return [];
  const slots = temperatureSlots(capabilities);
  if (slots === null) {
    return ['temperatureAlerts are written for channel 1 until the device has shown its channels'];
  }
  if (slots.length === 0) return ['temperatureAlerts cannot fire: the device shows no temperature channel'];
  if (slots.length > 1) return [];
  return alerts.flatMap(({ channel }, index) =>
    channel === 'ambient'
      ? [
          `temperatureAlerts[${index}].channel: the device has one temperature channel, so ambient means its probe`,
        ]
      : [],
  );
}

function alertWarnings(alert: TemperatureAlert, path: string): string[] {
  const { minC, maxC } = enforcedBounds(alert);
  const isPoint = minC !== null && minC === maxC;
  const isReturnOnly = alert.transmitOnReturn && !alert.transmitOnBreach;
  return [
    ...(isPoint ? [`${path}: lowC and highC are both ${minC} once rounded to the device's 0.1 °C`] : []),
    ...(isReturnOnly
      ? [
          `${path}: with transmitOnReturn alone the device also transmits when its rules start within the bounds`,
        ]
      : []),
  ];
}

function scheduleWarnings(alerts: TemperatureAlert[] | null, schedule: Schedule | null): string[] {
  if (schedule === null || schedule.always || alerts === null || alerts.length > 0) return [];
  return ['schedule has nothing to switch: temperatureAlerts is empty'];
}
