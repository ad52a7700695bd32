/** The orders of the list of all active assets: each follows an index, so that every page costs the same. */
import { FIRST_ID, ID_PATTERN, LAST_ID } from '../process/uuid.ts';
import type { ListedAsset } from './asset.ts';

export const ASSET_ORDERS = ['urgency', 'newest', 'name', 'serial', 'oldest-reading'] as const;
export type AssetOrder = (typeof ASSET_ORDERS)[number];

/** A list continues after the asset with this id; the key is its value in the order. */
interface OrderPosition {
  key: string;
  id: string;
}

export type OrderedAsset = ListedAsset & { key: string };

export interface OrderedPage {
  after: OrderPosition;
  limit: number;
  /** Lists the members of this group alone, which the order by urgency can. */
  groupId?: string | undefined;
}

const ID = new RegExp(`^${ID_PATTERN}$`);
const HOUR = /^(?:-infinity|\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?[+-]\d{2}(?::\d{2})?)$/;
const URGENCY = /^[1-6]$/;
const KEY_MAX = 512;

const FIRST_KEYS: Partial<Record<AssetOrder, string>> = { urgency: '1', 'oldest-reading': '-infinity' };
const KEYS: Partial<Record<AssetOrder, RegExp>> = { urgency: URGENCY, 'oldest-reading': HOUR };

/** The position before all assets. */
export const beginningOf = (order: AssetOrder): OrderPosition => ({
  key: FIRST_KEYS[order] ?? '',
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
  return KEYS[order]?.test(key) === false ? null : { key, id };
}

function parseList(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
