/** Which group an asset is in. It changes while the group is locked (see the table groups). */
import type { GroupRef } from '../config-jobs/config-job.ts';
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';

export interface Member {
  assetId: string;
  /** Null: in none. */
  groupId: string | null;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export type MembersRepository = ReturnType<typeof createMembersRepository>;

export function createMembersRepository(sql: Sql) {
  return {
    /** Of active assets. */
    listGroups(organizationId: string, assetIds: string[]): Promise<Member[]> {
      return query(
        sql,
        `select id as "assetId", group_id as "groupId" from assets
         where organization_id = ? and id = any(?::uuid[]) and archived_at is null order by id`,
        [organizationId, assetIds],
      );
    },

    /** How many members a group has, at most `max`. */
    async count({ organizationId, groupId }: GroupRef, max: number): Promise<number> {
      const [row] = await query<{ count: number }>(
        sql,
        `select count(*) from (
           select 1 from assets where organization_id = ? and group_id = ? limit ?
         ) as member`,
        [organizationId, groupId, max],
      );
      return row?.count ?? 0;
    },

    /** Ids of members after this one. */
    async list(
      organizationId: string,
      groupId: string,
      { after, limit }: { after: string | null; limit: number },
    ): Promise<string[]> {
      const rows = await query<{ id: string }>(
        sql,
        'select id from assets where organization_id = ? and group_id = ? and id > ? order by id limit ?',
        [organizationId, groupId, after ?? FIRST_ID, limit],
      );
      return rows.map(({ id }) => id);
    },

    async assign(organizationId: string, assetIds: string[], groupId: string | null): Promise<void> {
      if (assetIds.length === 0) return;
      await query(
        sql,
        `update assets set group_id = ?
         where organization_id = ? and id = any(?::uuid[]) and archived_at is null`,
        [groupId, organizationId, assetIds],
      );
    },
  };
}
