/**
 * Kept totals of lists: triggers record changes, and a sweep of the worker adds them up, for all
 * organizations.
 */
import type { Sql } from './database.ts';
import { eachOrganization, oneOrNone } from './each-organization.ts';
import { FLEET_KEY, IS_OF_FLEET } from './kept-totals.ts';
import { query } from './query.ts';

const CHANGED = { text: 'select distinct organization_id as "organizationId" from list_changes' };

/**
 * Readers add up both tables in one statement, so they find each change in one of them. Returns the number of
 * added changes.
 */
export async function addUpListChanges(sql: Sql, limit: number): Promise<number> {
  const rows = await eachOrganization(sql, CHANGED, (organizationId) => {
    const own = organizationId === null ? 'true' : 'organization_id = ?';
    return query<{ count: number }>(
      sql,
      `with taken as (
       delete from list_changes where (organization_id, list, key, id) in (
         select organization_id, list, key, id from list_changes where ${own}
         order by organization_id, list, key, id limit ? for update skip locked
       ) returning organization_id, list, key, change
     ), added as (
       insert into list_totals as t (organization_id, list, key, total)
       select organization_id, list, key, sum(change) from taken group by 1, 2, 3 order by 1, 2, 3
       on conflict on constraint list_totals_pkey do update set total = t.total + excluded.total
     )
     select count(*) from taken`,
      [...oneOrNone(organizationId), limit],
    );
  });
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** Totals of all organizations for the metrics, some seconds old, because pending changes are left out. */
export const sumFleetTotals = (sql: Sql): Promise<Array<{ key: string; count: number }>> =>
  query(
    sql,
    `select ${FLEET_KEY} as key, sum(total)::bigint as count from list_totals where ${IS_OF_FLEET} group by 1 order by 1`,
  );
