import type { DeviceConfiguration } from './configuration.ts';

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
  return measurementPeriodBase ? measurementPeriodBase * measurementPeriodFactor : null;
}
