/** Assets of devices, as events show them; batches of frames read them, too. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import type { Asset } from './asset.ts';
import { LIST_WITH_STATES } from './assets.statements.ts';

export const createDeviceAssetsRepository = (sql: Sql) => ({
  /** Includes archived ones. */
  list: (refs: AssetRef[]): Promise<Array<Asset & { organizationId: string }>> =>
    query(sql, LIST_WITH_STATES, {
      organizationIds: refs.map(({ organizationId }) => organizationId),
      assetIds: refs.map(({ assetId }) => assetId),
    }),
});
