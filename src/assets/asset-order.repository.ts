/** All active assets in the order of an index. What cannot be read in order is not offered: latest values, for one. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { ListedAsset } from './asset.ts';
import type { AssetOrder, OrderPosition } from './asset-order.ts';
import { LISTED_COLUMNS, WITH_DEVICE } from './asset-search.repository.ts';

export type OrderedAsset = ListedAsset & { key: string };

export interface OrderedPage {
  after: OrderPosition;
  limit: number;
}

const NAME = 'casefold(name collate pg_unicode_fast)';
const ACTIVE = 'organization_id = ? and archived_at is null';
const COLUMNS = `${LISTED_COLUMNS}, a.key`;

export type AssetOrderRepository = ReturnType<typeof createAssetOrderRepository>;

export function createAssetOrderRepository(sql: Sql) {
  const byNewest = (organizationId: string, { after, limit }: OrderedPage) =>
    query<OrderedAsset>(
      sql,
      `select ${COLUMNS} from (
         select *, '' as key from assets where ${ACTIVE} and id < ?::uuid order by id desc limit ?
       ) as a ${WITH_DEVICE} order by a.id desc`,
      [organizationId, after.id, limit],
    );

  const byName = (organizationId: string, { after, limit }: OrderedPage) =>
    query<OrderedAsset>(
      sql,
      `select ${COLUMNS} from (
         select *, ${NAME} as key from assets where ${ACTIVE} and (${NAME}, id) > (?::text, ?::uuid)
         order by ${NAME}, id limit ?
       ) as a ${WITH_DEVICE} order by a.key, a.id`,
      [organizationId, after.key, after.id, limit],
    );

  const bySerial = (organizationId: string, { after, limit }: OrderedPage) =>
    query<OrderedAsset>(
      sql,
      `select ${COLUMNS} from (
         select *, lower(serial_number) as key from assets where ${ACTIVE} and lower(serial_number) > ?::text
         order by lower(serial_number) limit ?
       ) as a ${WITH_DEVICE} order by a.key`,
      [organizationId, after.key, limit],
    );

  /** By the hours of last readings, which frames move only twice a day: within half a day the order is any. */
  const byLastReading = (organizationId: string, { after, limit }: OrderedPage) =>
    query<OrderedAsset>(
      sql,
      `select ${COLUMNS} from (
         select found.key, registered.* from (
           select organization_id, asset_id, last_reading_from, last_reading_from::text as key from device_states
           where organization_id = ? and is_active and (last_reading_from, asset_id) > (?::timestamptz, ?::uuid)
           order by last_reading_from, asset_id limit ?
         ) as found cross join lateral (
           select * from assets where organization_id = found.organization_id and id = found.asset_id limit 1
         ) as registered
       ) as a ${WITH_DEVICE} order by a.key::timestamptz, a.id`,
      [organizationId, after.key, after.id, limit],
    );

  const lists: Record<AssetOrder, typeof byName> = {
    newest: byNewest,
    name: byName,
    serial: bySerial,
    'oldest-reading': byLastReading,
  };
  return {
    list: (organizationId: string, order: AssetOrder, page: OrderedPage): Promise<OrderedAsset[]> =>
      lists[order](organizationId, page),
  };
}
