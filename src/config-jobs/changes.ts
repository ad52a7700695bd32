/** The effects of a change on other pending changes of a device: pure, computed once per distinct case. */
import {
  type ConfigurationContents,
  type ConfigurationKey,
  contentOf,
  type DeviceConfiguration,
  keysOf,
} from '../devices/configuration.ts';
import type { ChangingDevice } from '../devices/pending-changes.repository.ts';
import { overwrittenKeys } from '../devices/pending-owners.ts';

/** An incoming change that sets keys of an existing one to other values, and so takes them over. */
export interface Conflict {
  /** Configuration id of the change. */
  existing: string;
  incoming: string;
  overwritten: ConfigurationKey[];
  /** All keys that the existing change sets. */
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

/** The pending keys that stay refused when the given keys are set again or taken out. */
export function refusedWithout(
  pending: DeviceConfiguration | null,
  { refusedKeys }: Pick<ChangingDevice, 'refusedKeys'>,
  keys: readonly ConfigurationKey[],
): ConfigurationKey[] {
  if (refusedKeys === null || pending === null) return [];
  const refused = keysOf(pending).filter((key) => refusedKeys.includes(key));
  return refused.filter((key) => !keys.includes(key));
}

/** Caches `make` by key. */
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
