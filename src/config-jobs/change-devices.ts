/** What a change means for devices that have other changes pending: pure grouping, so SQL works on sets. */
import {
  type ConfigurationKey,
  contradictions,
  type DeviceConfiguration,
  keysOf,
  without,
} from '../devices/configuration.ts';
import { type ConfigurationContents, contentOf } from '../devices/configuration-id.ts';

/** Pairs of changes of which the new one gives a key of the old one another value. */
export function findConflicts(
  oldIds: readonly string[],
  freshIds: readonly string[],
  contents: ConfigurationContents,
): Array<{ old: string; fresh: string }> {
  const pairs = oldIds.flatMap((old) => freshIds.map((fresh) => ({ old, fresh })));
  return pairs.filter(
    ({ old, fresh }) => contradictions(contentOf(contents, old), contentOf(contents, fresh)).length > 0,
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
