import type { Knex } from 'knex';
import { newestFirst, nextUpdate, type Page } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { isUniqueViolation } from '../db/faults.ts';
import { fromStored, type StoredMute } from '../mutes/mute.ts';
import { MUTE_OF_GROUP } from '../mutes/mutes.statements.ts';
import { conflict } from '../process/errors.ts';
import { type Group, type GroupFields, NAME_TAKEN } from './group.ts';

interface GroupRow extends Columns<Omit<Group, 'memberCount' | 'mute'>> {
  organization_id: string;
  deleted_at: Date | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    groups: GroupRow;
  }
}

const SHOWN = `(
    select count(*) from assets where organization_id = groups.organization_id and group_id = groups.id
  ) as member_count, ${MUTE_OF_GROUP} as mute`;

const toGroup = (row: GroupRow & { member_count: number; mute: StoredMute | null }): Group => ({
  id: row.id,
  name: row.name,
  profileSlug: row.profile_slug,
  memberCount: row.member_count,
  mute: row.mute && fromStored(row.mute),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The fields of a group that members depend on. */
export interface SharedGroup {
  id: string;
  profileSlug: string | null;
}

const WITH_NAMES = `join unnest(?::text[]) as n (name)
  on casefold(groups.name collate pg_unicode_fast) = casefold(n.name collate pg_unicode_fast)`;

export type GroupsRepository = ReturnType<typeof createGroupsRepository>;

export function createGroupsRepository(sql: Database) {
  /** A deleted group is gone for customers, even while members still have to leave it. */
  const inUse = (organizationId: string) =>
    sql('groups').where({ organization_id: organizationId, deleted_at: null });
  const withMembers = (groups: Knex.QueryBuilder) => void groups.select('*', sql.raw(SHOWN));

  return {
    /** Newest first. */
    async list(organizationId: string, page: Page): Promise<Group[]> {
      const rows = await inUse(organizationId).modify(withMembers).modify(newestFirst, page);
      return rows.map(toGroup);
    },

    async find(organizationId: string, id: string): Promise<Group | null> {
      const row = await inUse(organizationId).where({ id }).modify(withMembers).first();
      return row ? toGroup(row) : null;
    },

    async exists(organizationId: string, id: string): Promise<boolean> {
      return (await inUse(organizationId).where({ id }).first('id')) !== undefined;
    },

    /** Keeps assets from joining or leaving the group until the transaction ends. */
    async lock(organizationId: string, id: string): Promise<Group | null> {
      await inUse(organizationId).where({ id }).forUpdate().select('id');
      return this.find(organizationId, id);
    },

    /** Keeps the groups as they are until the transaction ends; other transactions may share the lock. */
    async lockShared(organizationId: string, ids: string[]): Promise<SharedGroup[]> {
      const rows = await inUse(organizationId).whereIn('id', ids).orderBy('id').forShare();
      return rows.map(({ id, profile_slug }) => ({ id, profileSlug: profile_slug }));
    },

    /** Groups with one of the names, compared without case, each under the name as given. */
    findByNames: (organizationId: string, names: string[]): Promise<Array<{ name: string; id: string }>> =>
      inUse(organizationId).joinRaw(WITH_NAMES, [names]).select('n.name', 'groups.id'),

    /** @throws conflict when a group has the name. */
    async insert(organizationId: string, { name, profileSlug }: GroupFields): Promise<string> {
      const [row] = await refuseTakenName(
        sql('groups')
          .insert({ organization_id: organizationId, name, profile_slug: profileSlug })
          .returning('id'),
      );
      return (row as { id: string }).id;
    },

    /** @throws conflict when another group has the name. */
    async update(organizationId: string, id: string, { name, profileSlug }: GroupFields): Promise<void> {
      await refuseTakenName(
        inUse(organizationId)
          .where({ id })
          .update({ name, profile_slug: profileSlug, updated_at: nextUpdate(sql) }),
      );
    },

    /** Whether another group has the name. */
    async isNameTaken(organizationId: string, id: string, name: string): Promise<boolean> {
      const other = await inUse(organizationId)
        .whereRaw('casefold(name collate pg_unicode_fast) = casefold(?::text collate pg_unicode_fast)', [
          name,
        ])
        .whereNot({ id })
        .first('id');
      return other !== undefined;
    },

    async markDeleted(organizationId: string, id: string): Promise<void> {
      await inUse(organizationId).where({ id }).update({ deleted_at: sql.fn.now() });
    },

    /** Removes a group that is marked as deleted and has no members left. */
    async remove(organizationId: string, id: string): Promise<void> {
      await sql('groups').where({ organization_id: organizationId, id }).delete();
    },
  };
}

async function refuseTakenName<T>(written: PromiseLike<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    throw isUniqueViolation(error, 'groups_name_idx') ? conflict(NAME_TAKEN) : error;
  }
}
