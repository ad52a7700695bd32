/**
 * Which configurations something refers to. There is no index on the columns that refer to them, because every update
 * of a device would write it: the rows that may refer are read page by page instead, of all organizations.
 */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';

/** The last row of a page: rows after it are next. */
export type Position = string[];

/** Longer than any transaction takes, and than what it has read may be old. */
const UNUSED_FOR = `interval '7 days'`;
const RECENTLY = `interval '1 day'`;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Marks what `referred` names as used. */
const USED = `used as (
    update configurations c set last_used_at = now()
    from (select distinct organization_id, id from referred where id is not null order by 1, 2) as r
    where c.organization_id = r.organization_id and c.id = r.id and c.last_used_at < now() - ${RECENTLY}
  )`;

export type UnusedConfigurationsRepository = ReturnType<typeof createUnusedConfigurationsRepository>;

export function createUnusedConfigurationsRepository(sql: Sql) {
  return {
    /** Whether any has not been used for so long that it may be removed. */
    async haveCandidates(): Promise<boolean> {
      const rows = await query(
        sql,
        `select 1 from configurations where last_used_at < now() - ${UNUSED_FOR} limit 1`,
      );
      return rows.length > 0;
    },

    /** Marks what a page of devices refers to. Answers with its last row; null when there was none. */
    async markUsedByDevices(after: Position | null, limit: number): Promise<Position | null> {
      const [row] = await query<{ organization_id: string; asset_id: string }>(
        sql,
        `with page as materialized (
           select organization_id, asset_id, reported_config_id, confirmed_config_id, pending_config_id
           from device_configs where (organization_id, asset_id) > (?::uuid, ?::uuid)
           order by organization_id, asset_id limit ?
         ), referred as (
           select page.organization_id, ids.id from page
           cross join lateral (values (reported_config_id), (confirmed_config_id), (pending_config_id)) as ids (id)
         ), ${USED}
         select organization_id, asset_id from page order by organization_id desc, asset_id desc limit 1`,
        [...(after ?? [FIRST_ID, FIRST_ID]), limit],
      );
      return row ? [row.organization_id, row.asset_id] : null;
    },

    /** The same for a page of targets. */
    async markUsedByTargets(after: Position | null, limit: number): Promise<Position | null> {
      const [row] = await query<{ organization_id: string; job_id: string; asset_id: string }>(
        sql,
        `with page as materialized (
           select organization_id, job_id, asset_id, change_config_id
           from config_targets where (organization_id, job_id, asset_id) > (?::uuid, ?::uuid, ?::uuid)
           order by organization_id, job_id, asset_id limit ?
         ), referred as (
           select organization_id, change_config_id as id from page
         ), ${USED}
         select organization_id, job_id, asset_id from page
         order by organization_id desc, job_id desc, asset_id desc limit 1`,
        [...(after ?? [FIRST_ID, FIRST_ID, FIRST_ID]), limit],
      );
      return row ? [row.organization_id, row.job_id, row.asset_id] : null;
    },

    /** Removes what was not used for long. Only after all that refers to any has been marked. Returns how many. */
    async removeUnused(limit: number): Promise<number> {
      const rows = await query(
        sql,
        `delete from configurations where (organization_id, id) in (
           select organization_id, id from configurations where last_used_at < now() - ${UNUSED_FOR}
           order by last_used_at limit ? for update skip locked
         ) returning 1`,
        [limit],
      );
      return rows.length;
    },
  };
}
