import type { Sql } from '../db/database.ts';
import { FLEET_KEY, IS_OF_FLEET } from '../db/kept-totals.ts';
import { query } from '../db/query.ts';
import { HEALTH_STATE } from '../endpoints/shown-health.ts';

/**
 * A number with its key: `status:online`, `sync:applied`, `profile:none`, `alert:no_data`,
 * `endpoint:healthy`, `unregistered:`.
 */
export interface FleetCount {
  key: string;
  count: number;
}

export type FleetRepository = ReturnType<typeof createFleetRepository>;

export function createFleetRepository(sql: Sql) {
  return {
    /** Counts that grow with the fleet are kept (list_totals); endpoints and unregistered devices are few. */
    count(organizationId: string): Promise<FleetCount[]> {
      return query(
        sql,
        `select ${FLEET_KEY} as key, sum(count)::bigint as count
         from (
           select list, key, total as count from list_totals where organization_id = ? and ${IS_OF_FLEET}
           union all
           select list, key, change from list_changes where organization_id = ? and ${IS_OF_FLEET}
         ) as kept
         group by 1
         union all
         select 'endpoint:' || ${HEALTH_STATE}, count(*) from endpoints ep
         where ep.organization_id = ? and ep.deleted_at is null group by 1
         union all
         select 'unregistered:', count(*) from unregistered_devices u
         where u.organization_id = ? and (
           select a.id from assets a where a.organization_id = u.organization_id
             and lower(a.serial_number) = u.serial_number and a.archived_at is null limit 1
         ) is null`,
        [organizationId, organizationId, organizationId, organizationId],
      );
    },
  };
}
