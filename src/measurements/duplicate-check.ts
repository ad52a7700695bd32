import type { LockedDevice } from './received-frame.ts';

/**
 * Readings that may be stored already: those that are not newer than the state of their device knows, or all.
 */
export type DuplicateCheck = 'no newer' | 'all';

/** The state of a device knows less than is stored, so a reading that looks new may be a duplicate. */
export class OutdatedDeviceState extends Error {}

export function mayBeStored(measuredAt: Date, { state }: LockedDevice, check: DuplicateCheck): boolean {
  const { latestMeasuredAt } = state;
  return check === 'all' || latestMeasuredAt === null || measuredAt <= latestMeasuredAt;
}
