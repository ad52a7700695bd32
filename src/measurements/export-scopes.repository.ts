/** The assets whose readings are read: of an export, or one by its id. */
import { oneOf } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { Layout } from '../devices/device-capabilities.ts';
import type { HistoryScope } from './history.repository.ts';

export interface ExportScope extends HistoryScope {
  serialNumber: string;
}

interface Row extends Layout {
  assetId: string;
  serialNumber: string;
}

/** Looked up for each asset: in a free join, the planner expects one device for the whole organization. */
const WITH_CHANNELS = `cross join lateral (
    select observed_channel_types from device_states where organization_id = a.organization_id and asset_id = a.id
    limit 1
  ) as s
  cross join lateral (
    select reported_channel_types from device_configs where organization_id = a.organization_id and asset_id = a.id
    limit 1
  ) as d`;
const SCOPE = `a.id as "assetId", a.serial_number as "serialNumber", a.model,
  coalesce(d.reported_channel_types, s.observed_channel_types) as "channelTypes"`;

export type ExportScopesRepository = ReturnType<typeof createExportScopesRepository>;

export function createExportScopesRepository(sql: Database) {
  const scopes = (organizationId: string) =>
    sql({ a: 'assets' })
      .joinRaw(WITH_CHANNELS)
      .where('a.organization_id', organizationId)
      .orderBy('a.id')
      .select<Row[]>(sql.raw(SCOPE));

  /** By id, including archived ones. */
  async function listByIds(organizationId: string, assetIds: string[]): Promise<ExportScope[]> {
    const rows = await scopes(organizationId).where(oneOf('a.id', assetIds));
    return rows.map((row) => toScope(organizationId, row));
  }

  return {
    /** Includes archived assets. Null when the organization has no asset with that id. */
    find: async (organizationId: string, assetId: string): Promise<ExportScope | null> =>
      (await listByIds(organizationId, [assetId]))[0] ?? null,

    listByIds,

    /** Active assets by id, after the given one; of a group, or of all with null. */
    async listActive(
      organizationId: string,
      groupId: string | null,
      { after, limit }: { after: string | null; limit: number },
    ): Promise<ExportScope[]> {
      const active = scopes(organizationId).whereNull('a.archived_at').limit(limit);
      if (groupId !== null) active.where('a.group_id', groupId);
      if (after !== null) active.where('a.id', '>', after);
      return (await active).map((row) => toScope(organizationId, row));
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
