/** All random draws come from one seed: SYNC_SEED repeats a run. */
export const seed = Number(process.env.SYNC_SEED ?? Date.now() % 1_000_000_007);

/** Numbers from one seed (mulberry32). */
export function randomFrom(start: number) {
  let state = start | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    shuffled: <T>(items: readonly T[]): T[] =>
      items
        .map((item) => ({ item, rank: next() }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ item }) => item),
  };
}
