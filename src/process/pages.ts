/** Keyset pagination: each page begins after the last item of the one before. */

/**
 * The item after which the next page begins; null when this page was the last: it has fewer items than
 * requested.
 */
export const lastOf = <Item>(page: readonly Item[], limit: number): Item | null =>
  page.length < limit ? null : (page.at(-1) ?? null);

/** Yields every page, until one has fewer items than requested. */
export async function* pages<Item>(
  limit: number,
  read: (after: Item | null) => Promise<Item[]>,
): AsyncGenerator<Item[], undefined> {
  for (let after: Item | null = null; ; ) {
    const page = await read(after);
    yield page;
    after = lastOf(page, limit);
    if (after === null) return;
  }
}

/** Yields the items in slices of at most this length. */
export function* inSlices<Item>(items: readonly Item[], length: number): Generator<Item[], undefined> {
  for (let at = 0; at < items.length; at += length) yield items.slice(at, at + length);
}

/**
 * Repeats a step until it returns null. Each step returns the position after which the next one begins. Returns whether the
 * end was reached before `shouldContinue` returned false.
 */
export async function stepwise<Position>(
  step: (after: Position | null) => Promise<Position | null>,
  shouldContinue: () => boolean = () => true,
): Promise<boolean> {
  let after = await step(null);
  while (after !== null && shouldContinue()) after = await step(after);
  return after === null;
}
