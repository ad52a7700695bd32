import type { DeviceConfiguration } from './configuration.ts';

/** A sample holds until the next one of its channel, for so many measurement intervals at most: what follows is a gap. */
export const INTERVALS_HELD = 2;

/** Seconds between two samples; null where the configuration does not say. */
export function measurementIntervalSeconds({
  measurementPeriodBase,
  measurementPeriodFactor = 1,
}: DeviceConfiguration): number | null {
  return measurementPeriodBase ? measurementPeriodBase * measurementPeriodFactor : null;
}
