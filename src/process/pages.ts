/** Going through something by keyset: each page begins behind the last item of the one before. */

/** The item behind which the next page begins; null when this page was the last: it has fewer items than asked for. */
export const lastOf = <Item>(page: readonly Item[], limit: number): Item | null =>
  page.length < limit ? null : (page.at(-1) ?? null);

/** Every page, until one has fewer items than asked for. */
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

/**
 * Step by step, for steps that keep their items to themselves: each answers with the position behind which the next one
 * begins, or null at the end. Returns whether the end was reached before `goesOn` said no.
 */
export async function stepwise<Position>(
  step: (after: Position | null) => Promise<Position | null>,
  goesOn: () => boolean = () => true,
): Promise<boolean> {
  let after = await step(null);
  while (after !== null && goesOn()) after = await step(after);
  return after === null;
}
