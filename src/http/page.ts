/** One page of a list by keyset: read one row more than asked for, and the last item kept is the next cursor. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

export function pageOf<Item>(rows: Item[], limit: number, cursorOf: (item: Item) => string): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** `Link: <…>; rel="next"`, relative to where the page was read. */
export function nextLink(url: string, nextCursor: string | null): Record<string, string> {
  if (nextCursor === null) return {};
  const next = new URL(url, 'http://relative');
  next.searchParams.set('cursor', nextCursor);
  return { Link: `<${next.pathname}${next.search}>; rel="next"` };
}
