/** The assets whose readings an export has. */
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Layout } from '../devices/channel-layout.ts';
import type { HistoryScope } from './history.repository.ts';

export interface ExportScope extends HistoryScope {
  serialNumber: string;
}

interface Row extends Layout {
  assetId: string;
  serialNumber: string;
}

/** Looked up for each asset: joined freely, the planner expects one device for the whole organization. */
const SCOPE = `select a.id as "assetId", a.serial_number as "serialNumber", a.model,
    coalesce(d.reported_channel_types, s.observed_channel_types) as "channelTypes"
  from assets a
  cross join lateral (
    select observed_channel_types from device_states where organization_id = a.organization_id and asset_id = a.id
    limit 1
  ) as s
  cross join lateral (
    select reported_channel_types from device_configs where organization_id = a.organization_id and asset_id = a.id
    limit 1
  ) as d`;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export type ExportScopesRepository = ReturnType<typeof createExportScopesRepository>;

export function createExportScopesRepository(sql: Database) {
  return {
    /** By id, archived ones too. */
    async listByIds(organizationId: string, assetIds: string[]): Promise<ExportScope[]> {
      const rows = await query<Row>(
        sql,
        `${SCOPE} where a.organization_id = ? and a.id = any(?::uuid[]) order by a.id`,
        [organizationId, assetIds],
      );
      return rows.map((row) => toScope(organizationId, row));
    },

    /** Active ones by id, after the given one; of a group, or with null of all. */
    async listActive(
      organizationId: string,
      groupId: string | null,
      { after, limit }: { after: string | null; limit: number },
    ): Promise<ExportScope[]> {
      const ofGroup = groupId === null ? '' : 'and a.group_id = ?';
      const rows = await query<Row>(
        sql,
        `${SCOPE} where a.organization_id = ? ${ofGroup} and a.archived_at is null and a.id > ? order by a.id limit ?`,
        [organizationId, ...(groupId === null ? [] : [groupId]), after ?? FIRST_ID, limit],
      );
      return rows.map((row) => toScope(organizationId, row));
    },

    async hasGroup(organizationId: string, groupId: string): Promise<boolean> {
      const group = await sql('groups')
        .where({ organization_id: organizationId, id: groupId, deleted_at: null })
        .first('id');
      return group !== undefined;
    },
  };
}

const toScope = (
  organizationId: string,
  { assetId, serialNumber, model, channelTypes }: Row,
): ExportScope => ({
  organizationId,
  assetId,
  serialNumber,
  layout: { model, channelTypes },
});
