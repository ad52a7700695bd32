import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Acknowledgement } from './acknowledgement.ts';

export type AcknowledgementsRepository = ReturnType<typeof createAcknowledgementsRepository>;

export function createAcknowledgementsRepository(sql: Sql) {
  return {
    /**
     * The first of each alert, from the audit trail: one look-up in an index for each. An acknowledgement is younger than
     * its alert, so months before it are not read.
     */
    async list(organizationId: string, alertIds: string[]): Promise<Acknowledgement[]> {
      if (alertIds.length === 0) return [];
      return query(
        sql,
        `select wanted.id as "alertId", found.actor_name as name, uuid_extract_timestamp(found.id) as at
         from unnest(?::uuid[], ?::uuid[]) as wanted (organization_id, id)
         cross join lateral (
           select id, actor_name from audit_entries
           where organization_id = wanted.organization_id and subject = wanted.id::text and id > wanted.id
             and action = 'acknowledgeAlert'
           order by id limit 1
         ) as found`,
        [alertIds.map(() => organizationId), alertIds],
      );
    },
  };
}
