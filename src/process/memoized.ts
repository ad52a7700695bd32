/** Calls `make` once for items of the same key. */
export function memoized<Item, Key, Value>(
  keyOf: (item: Item) => Key,
  make: (item: Item) => Value,
): (item: Item) => Value {
  const known = new Map<Key, Value>();
  return (item) => {
    const key = keyOf(item);
    if (!known.has(key)) known.set(key, make(item));
    return known.get(key) as Value;
  };
}
