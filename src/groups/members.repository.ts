/** The group of each asset, which changes only while the group is locked (see the table groups). */
import type { GroupRef } from '../config-jobs/config-job.ts';
import { countUpTo, oneOf } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';

export interface Member {
  assetId: string;
  /** Null: no group. */
  groupId: string | null;
}

/** Puts active assets into the group; null: into none. */
const ASSIGN = `
  with assigned as (
    update assets set group_id = :groupId::uuid
    where organization_id = :organizationId and archived_at is null and id = any(:assetIds::uuid[])
    returning organization_id, id, group_id
  )
  insert into asset_groups (organization_id, asset_id, from_at, group_id)
  select organization_id, id, clock_timestamp(), group_id from assigned`;

export type MembersRepository = ReturnType<typeof createMembersRepository>;

export function createMembersRepository(sql: Database) {
  const membersOf = ({ organizationId, groupId }: GroupRef) =>
    sql('assets').where({ organization_id: organizationId, group_id: groupId });
  const active = (organizationId: string, assetIds: string[]) =>
    sql('assets').where({ organization_id: organizationId, archived_at: null }).where(oneOf('id', assetIds));

  return {
    /** Groups of active assets. */
    async listGroups(organizationId: string, assetIds: string[]): Promise<Member[]> {
      const rows = await active(organizationId, assetIds).orderBy('id').select('id', 'group_id');
      return rows.map(({ id, group_id }) => ({ assetId: id, groupId: group_id }));
    },

    /** Number of members, at most `max`. */
    count: (group: GroupRef, max: number): Promise<number> => countUpTo(sql, max, membersOf(group)),

    /** Ids of members after this one. */
    list(
      organizationId: string,
      groupId: string,
      { after, limit }: { after: string | null; limit: number },
    ): Promise<string[]> {
      const members = membersOf({ organizationId, groupId }).orderBy('id').limit(limit);
      if (after !== null) members.where('id', '>', after);
      return members.pluck('id');
    },

    async assign(organizationId: string, assetIds: string[], groupId: string | null): Promise<void> {
      if (assetIds.length === 0) return;
      await query(sql, ASSIGN, { organizationId, assetIds, groupId });
    },
  };
}
