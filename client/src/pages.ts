/** Items of lists, whatever the size of their pages. */
interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/**
 * All items of a list, read page by page as they are used:
 * `for await (const asset of each(dms.listAssets, { limit: 500 })) …`
 */
export async function* each<Given extends { cursor?: string }, Item>(
  list: (given: Given) => Promise<Page<Item>>,
  given: NoInfer<Given>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | null | undefined = given.cursor;
  do {
    const page: Page<Item> = await list(cursor == null ? given : { ...given, cursor });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
