/** What a change means for devices that have other changes pending: pure, once per distinct case and not per device. */
import { type ConfigurationKey, type DeviceConfiguration, keysOf } from '../devices/configuration.ts';
import { type ConfigurationContents, contentOf } from '../devices/configuration-id.ts';
import type { ChangingDevice } from '../devices/pending-changes.repository.ts';
import { overwrittenKeys } from '../devices/pending-owners.ts';

/** A change that gives settings of another one different values, and by that takes them over. */
export interface Conflict {
  /** The ids of both. */
  existing: string;
  incoming: string;
  overwritten: ConfigurationKey[];
  /** All that the existing change sets. */
  existingKeys: ConfigurationKey[];
}

export function findConflicts(
  existingIds: readonly string[],
  incomingIds: readonly string[],
  contents: ConfigurationContents,
): Conflict[] {
  const pairs = existingIds.flatMap((existing) => incomingIds.map((incoming) => ({ existing, incoming })));
  return pairs
    .map(({ existing, incoming }) => {
      const change = contentOf(contents, existing);
      const overwritten = overwrittenKeys(change, contentOf(contents, incoming));
      return { existing, incoming, overwritten, existingKeys: keysOf(change) };
    })
    .filter(({ overwritten }) => overwritten.length > 0);
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
