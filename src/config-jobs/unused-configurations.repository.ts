/**
 * Finds the configurations that rows refer to. The referring columns have no index, because every update of a
 * device would have to write it; instead, the rows of all organizations are read page by page.
 */
import type { Sql } from '../db/database.ts';
import { eachOrganization, oneOrNone } from '../db/each-organization.ts';
import { query } from '../db/query.ts';

/** Long unused configurations that a page of rows refers to, and the last row of the page. */
export interface ReferredPage {
  /** Null: the page was empty. */
  last: string[] | null;
  configIds: string[];
}

/** Longer than any transaction takes, and than any snapshot of `beginSnapshot` lives. */
const UNUSED = `last_used_at < now() - interval '7 days'`;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const REFERRED = `(
    select coalesce(array_agg(distinct c.id), '{}') from referred r
    join configurations c on c.organization_id = r.organization_id and c.id = r.id
    where c.${UNUSED}
  )`;

export type UnusedConfigurationsRepository = ReturnType<typeof createUnusedConfigurationsRepository>;

export function createUnusedConfigurationsRepository(sql: Sql) {
  return {
    async haveCandidates(): Promise<boolean> {
      const rows = await query(sql, `select 1 from configurations where ${UNUSED} limit 1`);
      return rows.length > 0;
    },

    /** All statements of the transaction read one snapshot. Must be its first statement. */
    async beginSnapshot(): Promise<void> {
      await query(sql, 'set transaction isolation level repeatable read, read only');
    },

    async listReferredByDevices(after: string[] | null, limit: number): Promise<ReferredPage> {
      const [page] = await query<ReferredPage>(
        sql,
        `with page as materialized (
           select organization_id, asset_id, reported_config_id, confirmed_config_id, pending_config_id
           from device_configs where (organization_id, asset_id) > (?::uuid, ?::uuid)
           order by organization_id, asset_id limit ?
         ), referred as (
           select distinct page.organization_id, ids.id from page
           cross join lateral (values (reported_config_id), (confirmed_config_id), (pending_config_id)) as ids (id)
         )
         select ${REFERRED} as "configIds", (
           select array[organization_id, asset_id] from page order by organization_id desc, asset_id desc limit 1
         ) as last`,
        [...(after ?? [FIRST_ID, FIRST_ID]), limit],
      );
      return page as ReferredPage;
    },

    async listReferredByTargets(after: string[] | null, limit: number): Promise<ReferredPage> {
      const [page] = await query<ReferredPage>(
        sql,
        `with page as materialized (
           select organization_id, job_id, asset_id, change_config_id
           from config_targets where (organization_id, job_id, asset_id) > (?::uuid, ?::uuid, ?::uuid)
           order by organization_id, job_id, asset_id limit ?
         ), referred as (
           select distinct organization_id, change_config_id as id from page
         )
         select ${REFERRED} as "configIds", (
           select array[organization_id, job_id, asset_id] from page
           order by organization_id desc, job_id desc, asset_id desc limit 1
         ) as last`,
        [...(after ?? [FIRST_ID, FIRST_ID, FIRST_ID]), limit],
      );
      return page as ReferredPage;
    },

    async listReferredBySettings(after: string[] | null, limit: number): Promise<ReferredPage> {
      const [page] = await query<ReferredPage>(
        sql,
        `with page as materialized (
           select organization_id, asset_id, from_at, config_id
           from device_settings where (organization_id, asset_id, from_at) > (?::uuid, ?::uuid, ?::timestamptz)
           order by organization_id, asset_id, from_at limit ?
         ), referred as (
           select distinct organization_id, config_id as id from page
         )
         select ${REFERRED} as "configIds", (
           select array[organization_id::text, asset_id::text, from_at::text] from page
           order by organization_id desc, asset_id desc, from_at desc limit 1
         ) as last`,
        [...(after ?? [FIRST_ID, FIRST_ID, '-infinity']), limit],
      );
      return page as ReferredPage;
    },

    async markUsed(configIds: string[]): Promise<void> {
      await query(
        sql,
        `update configurations set last_used_at = now() where id = any(?::uuid[]) and ${UNUSED}`,
        [configIds],
      );
    },

    /**
     * Removes long unused configurations, after all referenced ones were marked as used. Returns their
     * number.
     */
    async removeUnused(limit: number): Promise<number> {
      const due = {
        text: `select distinct organization_id as "organizationId" from configurations where ${UNUSED}`,
      };
      const rows = await eachOrganization(sql, due, (organizationId) => {
        const own = organizationId === null ? '' : 'organization_id = ? and';
        return query(
          sql,
          `delete from configurations where ${own} (organization_id, id) in (
             select organization_id, id from configurations where ${own} ${UNUSED}
             order by last_used_at limit ? for update skip locked
           ) returning 1`,
          [...oneOrNone(organizationId), ...oneOrNone(organizationId), limit],
        );
      });
      return rows.length;
    },
  };
}
