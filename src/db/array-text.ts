type Element = string | number | boolean | null;

/**
 * A PostgreSQL array as text, for values that need no quotes: ids, numbers, ISO times, words of a closed set.
 * Far cheaper than an array that the driver writes element by element.
 */
export const toArrayText = <Item>(items: readonly Item[], value: (item: Item) => Element): string =>
  `{${items.map((item) => value(item) ?? 'null').join()}}`;
