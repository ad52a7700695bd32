/** All active assets in the order of an index. Orders without an index, such as by latest value, are not offered. */
import type { Database } from '../db/database.ts';
import { FOLDED_NAME } from './asset-filter.ts';
import type { AssetOrder, OrderedAsset, OrderedPage } from './asset-order.ts';
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

/** As in device_states_urgency_idx: without a failed change, which device_configs has. */
const OWN_URGENCY = `(case
    when s.open_alerts @> '[{"type": "high_temp"}]' or s.open_alerts @> '[{"type": "low_temp"}]' then 1
    when s.open_alerts @> '[{"type": "sensor_error"}]' then 2
    when s.status = 'offline' then 3
    when s.battery_status = 'low' then 5
    else 6
  end)`;

/** Temperature, sensor error, missing contact, failed change, low battery, and all others. */
const CLASSES: ReadonlyArray<{ urgency: number; sql: string }> = [
  { urgency: 1, sql: `${OWN_URGENCY} = 1` },
  { urgency: 2, sql: `${OWN_URGENCY} = 2` },
  { urgency: 3, sql: `${OWN_URGENCY} = 3` },
  { urgency: 4, sql: `d.sync_status = 'failed' and ${OWN_URGENCY} > 4` },
  { urgency: 5, sql: `${OWN_URGENCY} = 5 and d.sync_status <> 'failed'` },
  { urgency: 6, sql: `${OWN_URGENCY} = 6 and d.sync_status <> 'failed'` },
];

/** Most urgent first: each class of urgency is read by its index, and only as far as the page reaches. */
async function listByUrgency(
  sql: Database,
  organizationId: string,
  { after: { key, id }, limit, groupId }: OrderedPage,
): Promise<OrderedAsset[]> {
  const found: OrderedAsset[] = [];
  for (const { urgency, sql: isOfClass } of CLASSES) {
    if (urgency < Number(key) || found.length === limit) continue;
    const rows = listedAssets(sql, { organizationId, after: urgency === Number(key) ? id : null })
      .select(sql.raw(`'${urgency}' as key`))
      .whereRaw(isOfClass)
      .orderBy(urgency === 4 ? 'd.asset_id' : 's.asset_id')
      .limit(limit - found.length);
    if (groupId !== undefined) rows.where('a.group_id', groupId);
    found.push(...(await rows));
  }
  return found;
}
