/** All active assets in the order of an index. Orders without an index, such as by latest value, are not offered. */
import type { Database } from '../db/database.ts';
import { FOLDED_NAME } from './asset-columns.ts';
import type { AssetOrder, OrderedAsset, OrderedPage } from './asset-order.ts';
import { listByUrgency } from './asset-urgency.repository.ts';
import { listedAssets } from './listed-assets.repository.ts';

/** The order of an index, its value as a cursor keeps it, and the condition of rows after a position. */
const ORDERS: Record<Exclude<AssetOrder, 'urgency'>, { key: string; order: string; isAfter: string }> = {
  newest: { key: `''`, order: 'a.id desc', isAfter: 'a.id < :id' },
  name: {
    key: FOLDED_NAME,
    order: `${FOLDED_NAME}, a.id`,
    isAfter: `(${FOLDED_NAME}, a.id) > (:key, :id)`,
  },
  serial: {
    key: 'lower(a.serial_number)',
    order: 'lower(a.serial_number)',
    isAfter: 'lower(a.serial_number) > :key',
  },
  // Frames move these hours twice a day alone: within half a day the order is any.
  'oldest-reading': {
    key: 's.last_reading_from::text',
    order: 's.last_reading_from, s.asset_id',
    isAfter: '(s.last_reading_from, s.asset_id) > (cast(:key as timestamptz), :id)',
  },
};

export type AssetOrderRepository = ReturnType<typeof createAssetOrderRepository>;

export const createAssetOrderRepository = (sql: Database) => ({
  async list(organizationId: string, by: AssetOrder, page: OrderedPage): Promise<OrderedAsset[]> {
    if (by === 'urgency') return listByUrgency(sql, organizationId, page);
    const { after, limit } = page;
    const { key, order, isAfter } = ORDERS[by];
    return listedAssets(sql, { organizationId })
      .select(sql.raw(`${key} as key`))
      .whereRaw(isAfter, { ...after })
      .orderByRaw(order)
      .limit(limit);
  },
});
