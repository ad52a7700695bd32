/**
 * Owners of pending settings: pure. A setting belongs to every change that set its current value. A change
 * that sets another value takes the setting over with its unit, and the rest of earlier changes is still offered. When
 * changes end, by a cancelled job or a device that leaves its group, the settings that no other change owns
 * are taken out.
 *
 * Changes of many devices are compared and ended in one statement each (config-jobs/changes.service.ts and
 * config-jobs/device-targets.repository.ts); test/devices/pending-changes.test.ts compares both.
 */
import {
  type ConfigurationKey,
  contradictions,
  type DeviceConfiguration,
  includes,
  keysOf,
} from './configuration.ts';
import type { Refusal } from './device-sync.ts';

/** A change that is pending, or was before others overwrote parts of it. */
export interface OwnedChange {
  change: DeviceConfiguration;
  /** Settings that another change has overwritten since. */
  lostKeys: readonly ConfigurationKey[];
  /** Why the device refused it: it keeps its settings, but does not cause their offer. Null: not refused. */
  refusalReason: string | null;
}

export const ownedKeys = ({ change, lostKeys }: Pick<OwnedChange, 'change' | 'lostKeys'>) =>
  keysOf(change).filter((key) => !lostKeys.includes(key));

/**
 * Settings that mean something only together: calendars switch rules by position, and a period is base times factor. A
 * part that stayed pending without the other would switch rules of other alerts, or give a period that no change set.
 */
const UNITS: ConfigurationKey[][] = [
  ['measurementPeriodBase', 'measurementPeriodFactor'],
  ['alarmRules', 'calendars'],
];

/**
 * The settings that a change loses when another one becomes pending: those to which it gave other values, each with its
 * unit, as far as the other one sets that too.
 */
export function overwrittenKeys(change: DeviceConfiguration, incoming: DeviceConfiguration) {
  const lost = contradictions(change, incoming).flatMap(
    (key) => UNITS.find((unit) => unit.includes(key)) ?? [key],
  );
  return keysOf(change).filter((key) => lost.includes(key) && incoming[key] !== undefined);
}

/** The effect of ended changes on the pending settings. */
interface EndedChanges {
  /** Settings that no other change owns. */
  withdrawn: ConfigurationKey[];
  /** Settings that only refused changes own: they are no longer offered. Null: there are none. */
  refusal: Refusal | null;
}

/** `others`: all other changes of the device, except those that end with these. */
export function endChanges(
  pending: DeviceConfiguration,
  ended: ReadonlyArray<Pick<OwnedChange, 'change' | 'lostKeys'>>,
  others: readonly OwnedChange[],
): EndedChanges {
  const own = new Set(ended.flatMap(ownedKeys));
  const concerned = keysOf(pending).filter((key) => own.has(key));
  const ownersOf = (key: ConfigurationKey) => others.filter((other) => ownedKeys(other).includes(key));
  const isRefused = (key: ConfigurationKey) => {
    const owners = ownersOf(key);
    return owners.length > 0 && owners.every(({ refusalReason }) => refusalReason !== null);
  };
  const refused = concerned.filter(isRefused);
  const reason = refused.flatMap(ownersOf).at(-1)?.refusalReason ?? null;
  return {
    withdrawn: concerned.filter((key) => ownersOf(key).length === 0),
    refusal: reason === null ? null : { keys: refused, reason },
  };
}

/**
 * Whether the pending rules are those that the device runs, and no change owns them: they followed a pending interval that
 * was taken out, so their offer would last for ever.
 */
export function repeatsRules(
  pending: DeviceConfiguration,
  running: DeviceConfiguration,
  withdrawn: readonly ConfigurationKey[],
  others: readonly OwnedChange[],
): boolean {
  const { alarmRules } = pending;
  return (
    withdrawn.includes('measurementPeriodBase') &&
    alarmRules !== undefined &&
    includes(running, { alarmRules }) &&
    !others.some((other) => ownedKeys(other).includes('alarmRules'))
  );
}
