/** The orders of the list of all active assets: each follows an index, so that every page costs the same. */

export const ASSET_ORDERS = ['newest', 'name', 'serial', 'oldest-reading'] as const;
export type AssetOrder = (typeof ASSET_ORDERS)[number];

/** A list continues after the asset with this id; the key is its value in the order. */
export interface OrderPosition {
  key: string;
  id: string;
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const HOUR = /^(?:-infinity|\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?[+-]\d{2}(?::\d{2})?)$/;
const KEY_MAX = 512;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The position before all assets. */
export const beginningOf = (order: AssetOrder): OrderPosition => ({
  key: order === 'oldest-reading' ? '-infinity' : '',
  id: order === 'newest' ? LAST_ID : FIRST_ID,
});

export const toCursor = ({ key, id }: OrderPosition): string =>
  Buffer.from(JSON.stringify([key, id])).toString('base64url');

/** Null when it is not a cursor of that order. */
export function parseCursor(cursor: string, order: AssetOrder): OrderPosition | null {
  const [key, id, ...more] = parseList(Buffer.from(cursor, 'base64url').toString());
  const isWhole = typeof key === 'string' && typeof id === 'string' && more.length === 0;
  if (!isWhole || !ID.test(id) || key.length > KEY_MAX || key.includes('\0') || !key.isWellFormed())
    return null;
  return order === 'oldest-reading' && !HOUR.test(key) ? null : { key, id };
}

function parseList(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
