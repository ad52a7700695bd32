/** What a change means for devices that have other changes pending: pure, once per distinct case and not per device. */
import {
  type ConfigurationKey,
  contradictions,
  type DeviceConfiguration,
  keysOf,
  without,
} from '../devices/configuration.ts';
import { type ConfigurationContents, contentOf } from '../devices/configuration-id.ts';
import type { ChangingDevice } from '../devices/pending-changes.repository.ts';

/** Ids of two changes that give one setting different values. */
export interface Conflict {
  existing: string;
  incoming: string;
}

export function findConflicts(
  existingIds: readonly string[],
  incomingIds: readonly string[],
  contents: ConfigurationContents,
): Conflict[] {
  const pairs = existingIds.flatMap((existing) => incomingIds.map((incoming) => ({ existing, incoming })));
  return pairs.filter(
    ({ existing, incoming }) =>
      contradictions(contentOf(contents, existing), contentOf(contents, incoming)).length > 0,
  );
}

/**
 * What stays pending when one change is taken out of it: all but the keys that no other change still wants.
 * null when nothing is left.
 */
export function withdrawChange(
  pending: DeviceConfiguration,
  change: DeviceConfiguration,
  others: readonly DeviceConfiguration[],
): DeviceConfiguration | null {
  const wanted = new Set<ConfigurationKey>(others.flatMap(keysOf));
  return without(
    pending,
    keysOf(change).filter((key) => !wanted.has(key)),
  );
}

/** What stays refused of what is pending, when a change sets the keys anew or they are taken out. */
export function refusedWithout(
  pending: DeviceConfiguration | null,
  { refusedKeys }: Pick<ChangingDevice, 'refusedKeys'>,
  keys: readonly ConfigurationKey[],
): ConfigurationKey[] {
  if (refusedKeys === null || pending === null) return [];
  const refused = keysOf(pending).filter((key) => refusedKeys.includes(key));
  return refused.filter((key) => !keys.includes(key));
}

/** Runs `make` once per distinct key, however many items share it. */
export function memoized<Item, Value>(
  keyOf: (item: Item) => string,
  make: (item: Item) => Value,
): (item: Item) => Value {
  const known = new Map<string, Value>();
  return (item) => {
    const key = keyOf(item);
    if (!known.has(key)) known.set(key, make(item));
    return known.get(key) as Value;
  };
}
