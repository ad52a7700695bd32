/** Items of lists, for any size of their pages. */
interface Page<Item> {
  items: Item[];
  /** Absent in a list without pages. */
  nextCursor?: string | null;
}

// Accepts lists with and without required arguments.
type List = (given: never) => Promise<Page<unknown>>;
type Given<Of extends List> = NonNullable<Parameters<Of>[0]>;
type Item<Of extends List> = Awaited<ReturnType<Of>>['items'][number];

/**
 * All items of a list, read page by page as they are used:
 * `for await (const asset of each(dms.listAssets, { limit: 500 })) …`
 */
export async function* each<Of extends List>(
  list: Of,
  given: Given<Of>,
): AsyncGenerator<Item<Of>, void, undefined> {
  const read = list as unknown as (given: object) => Promise<Page<Item<Of>>>;
  let cursor: string | null | undefined;
  do {
    const page: Page<Item<Of>> = await read(cursor ? { ...(given as object), cursor } : given);
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor);
}
