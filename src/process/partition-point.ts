/** The number of items at the beginning that fulfil the condition, where none after them does: by binary search. */
export function partitionPoint<Item>(items: readonly Item[], condition: (item: Item) => boolean): number {
  let [begin, end] = [0, items.length];
  while (begin < end) {
    const middle = Math.floor((begin + end) / 2);
    if (condition(items[middle] as Item)) begin = middle + 1;
    else end = middle;
  }
  return begin;
}
