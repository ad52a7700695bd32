import type { DeviceConfiguration } from './configuration.ts';

/**
 * Limits of a logger's configuration (Efento proto_config.proto, proto_rule.proto). The number of its rules
 * is in `device-capabilities.ts`, because devices differ in it.
 */
export const CALENDARS_MAX = 6;

/** Seconds of the measurement period, and its factor. */
export const MEASUREMENT_PERIOD_MAX = 65_535;
/** Longer periods of measurement, 68 years and more, count as this one, because columns hold 32 bits. */
const INTERVAL_MAX_SECONDS = 2 ** 31 - 1;
export const TRANSMISSION_MIN_SECONDS = 60;
export const TRANSMISSION_MAX_SECONDS = 604_800;

export const RULE_SAMPLES_MAX = 10;
export const RULE_DELAY_MAX_SECONDS = 864_000;
/** Parameters of a rule or calendar without a natural form: far more than any condition has. */
export const RAW_PARAMETERS_MAX = 16;

/** A calendar's distance from UTC. */
export const UTC_OFFSET_STEP_MINUTES = 15;
export const UTC_OFFSET_MAX_MINUTES = 18 * 60;

/**
 * A sample holds until the next one of its channel, for this many measurement intervals at most; a gap
 * follows.
 */
export const INTERVALS_HELD = 2;

/** Seconds between two samples; null if the configuration does not set them. */
export function measurementIntervalSeconds({
  measurementPeriodBase,
  measurementPeriodFactor = 1,
}: DeviceConfiguration): number | null {
  return measurementPeriodBase ? intervalSeconds(measurementPeriodBase, measurementPeriodFactor) : null;
}

export const intervalSeconds = (base: number, factor: number): number =>
  Math.min(base * factor, INTERVAL_MAX_SECONDS);
