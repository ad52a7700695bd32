import type { Sql } from '../db/database.ts';
import { isUniqueViolation } from '../db/faults.ts';
import { query } from '../db/query.ts';
import { conflict } from '../process/errors.ts';
import { type Group, type GroupFields, NAME_TAKEN } from './group.ts';

/** The total is kept: see the table list_totals. */
const COLUMNS = `g.id, g.name, g.profile_slug as "profileSlug", (
    select coalesce(sum(count), 0)::bigint from (
      select total as count from list_totals
      where organization_id = g.organization_id and list = 'assets' and key = 'group:' || g.id
      union all
      select change from list_changes
      where organization_id = g.organization_id and list = 'assets' and key = 'group:' || g.id
    ) as kept
  ) as "memberCount", g.created_at as "createdAt", g.updated_at as "updatedAt"`;
/** A deleted group is gone for customers, though members may still have to leave it. */
const IN_USE = 'deleted_at is null';
const ONE = `organization_id = ? and id = ? and ${IN_USE}`;
const NAME_INDEX = 'groups_name_idx';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** As members see it. */
export interface SharedGroup {
  id: string;
  profileSlug: string | null;
}

export type GroupsRepository = ReturnType<typeof createGroupsRepository>;

export function createGroupsRepository(sql: Sql) {
  return {
    /** Newest first. */
    list(
      organizationId: string,
      { before, limit }: { before: string | null; limit: number },
    ): Promise<Group[]> {
      return query(
        sql,
        `select ${COLUMNS} from groups g where g.organization_id = ? and g.id < ? and ${IN_USE} order by g.id desc limit ?`,
        [organizationId, before ?? LAST_ID, limit],
      );
    },

    async find(organizationId: string, id: string): Promise<Group | null> {
      const [row] = await query<Group>(
        sql,
        `select ${COLUMNS} from groups g where g.organization_id = ? and g.id = ? and ${IN_USE}`,
        [organizationId, id],
      );
      return row ?? null;
    },

    async exists(organizationId: string, id: string): Promise<boolean> {
      return (await query(sql, `select 1 from groups where ${ONE}`, [organizationId, id])).length > 0;
    },

    /** Until the end of the transaction no asset joins or leaves the group. */
    async lock(organizationId: string, id: string): Promise<Group | null> {
      await query(sql, `select 1 from groups where ${ONE} for update`, [organizationId, id]);
      return this.find(organizationId, id);
    },

    /** Until the end of the transaction they stay as they are; others may lock them in the same way. */
    lockShared(organizationId: string, ids: string[]): Promise<SharedGroup[]> {
      return query(
        sql,
        `select id, profile_slug as "profileSlug" from groups
         where organization_id = ? and id = any(?::uuid[]) and ${IN_USE} order by id for share`,
        [organizationId, ids],
      );
    },

    /** Those that have one of the names, without regard to case; each with the name as it was given. */
    findByNames(organizationId: string, names: string[]): Promise<Array<{ name: string; id: string }>> {
      return query(
        sql,
        `select n.name, g.id from unnest(?::text[]) as n (name)
         join groups g on casefold(g.name collate pg_unicode_fast) = casefold(n.name collate pg_unicode_fast)
         where g.organization_id = ? and g.${IN_USE}`,
        [names, organizationId],
      );
    },

    /** @throws conflict when a group has the name. */
    async insert(organizationId: string, { name, profileSlug }: GroupFields): Promise<string> {
      const [row] = await refuseTakenName(
        query<{ id: string }>(
          sql,
          'insert into groups (organization_id, name, profile_slug) values (?, ?, ?) returning id',
          [organizationId, name, profileSlug],
        ),
      );
      return (row as { id: string }).id;
    },

    /** @throws conflict when another group has the name. */
    async update(organizationId: string, id: string, { name, profileSlug }: GroupFields): Promise<void> {
      await refuseTakenName(
        query(
          sql,
          `update groups set name = ?, profile_slug = ?,
             updated_at = greatest(now(), (updated_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC')
           where ${ONE}`,
          [name, profileSlug, organizationId, id],
        ),
      );
    },

    /** Whether another group has the name. */
    async isNameTaken(organizationId: string, id: string, name: string): Promise<boolean> {
      const rows = await query(
        sql,
        `select 1 from groups
         where organization_id = ? and casefold(name collate pg_unicode_fast) = casefold(?::text collate pg_unicode_fast) and id <> ? and ${IN_USE}`,
        [organizationId, name, id],
      );
      return rows.length > 0;
    },

    async markDeleted(organizationId: string, id: string): Promise<void> {
      await query(sql, `update groups set deleted_at = now() where ${ONE}`, [organizationId, id]);
    },

    /** One that is marked as deleted, and has no members any more. */
    async remove(organizationId: string, id: string): Promise<void> {
      await query(sql, 'delete from groups where organization_id = ? and id = ?', [organizationId, id]);
    },
  };
}

function refuseTakenName<T>(written: Promise<T>): Promise<T> {
  return written.catch((error) => {
    throw isUniqueViolation(error, NAME_INDEX) ? conflict(NAME_TAKEN) : error;
  });
}
