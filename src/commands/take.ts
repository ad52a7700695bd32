/** The first items of a long list. */
export async function take<Item>(items: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= count) break;
  }
  return taken;
}
