/** The assets of an export. */
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Layout } from '../devices/channel-layout.ts';
import { FIRST_ID } from '../process/uuid.ts';
import type { HistoryScope } from './history.repository.ts';
import { LIST_ACTIVE_SCOPES, LIST_GROUP_SCOPES, LIST_SCOPES } from './history.statements.ts';

export interface ExportScope extends HistoryScope {
  serialNumber: string;
}

interface Row extends Layout {
  assetId: string;
  serialNumber: string;
}

export type ExportScopesRepository = ReturnType<typeof createExportScopesRepository>;

export function createExportScopesRepository(sql: Database) {
  return {
    /** By id, including archived ones. */
    async listByIds(organizationId: string, assetIds: string[]): Promise<ExportScope[]> {
      const rows = await query<Row>(sql, LIST_SCOPES, { organizationId, assetIds });
      return rows.map((row) => toScope(organizationId, row));
    },

    /** Active assets by id, after the given one; of a group, or of all with null. */
    async listActive(
      organizationId: string,
      groupId: string | null,
      { after, limit }: { after: string | null; limit: number },
    ): Promise<ExportScope[]> {
      const list = groupId === null ? LIST_ACTIVE_SCOPES : LIST_GROUP_SCOPES;
      const rows = await query<Row>(sql, list, { organizationId, groupId, after: after ?? FIRST_ID, limit });
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
