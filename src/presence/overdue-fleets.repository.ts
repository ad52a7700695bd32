/** The organizations whose fleets are overdue, which are few rows. */
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { OverdueFleet } from './overdue-fleet.ts';

export interface StoredOverdueFleet extends OverdueFleet {
  beganAt: Date;
  isConfirmed: boolean;
}

interface OverdueFleetRow {
  organization_id: string;
  began_at: Date;
  since: Date;
  overdue_count: number;
  total_count: number;
  confirmed_at: Date | null;
  /** Written by src/escalations. */
  escalated_alert_id: string | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    overdue_fleets: OverdueFleetRow;
  }
}

const toFleet = (row: OverdueFleetRow): StoredOverdueFleet => ({
  organizationId: row.organization_id,
  beganAt: row.began_at,
  since: row.since,
  overdue: row.overdue_count,
  total: row.total_count,
  isConfirmed: row.confirmed_at !== null,
});

/** With two arrays, as a statement is divided by organization where tables are distributed. */
const SHARE_LOCK = `
  select f.organization_id as id from unnest(:organizationIds::uuid[], :ids::uuid[]) as n (organization_id, id)
  join overdue_fleets f on f.organization_id = n.organization_id order by f.organization_id for key share of f`;

export type OverdueFleetsRepository = ReturnType<typeof createOverdueFleetsRepository>;

export function createOverdueFleetsRepository(sql: Database) {
  const one = (organizationId: string) => sql('overdue_fleets').where({ organization_id: organizationId });

  /** In all organizations. */
  const list = async (): Promise<StoredOverdueFleet[]> =>
    (await acrossOrganizations(sql('overdue_fleets')).orderBy('organization_id')).map(toFleet);

  return {
    list,

    /** False when the fleet is already overdue. */
    async insert({ organizationId, since, overdue, total }: OverdueFleet): Promise<boolean> {
      const rows = await sql('overdue_fleets')
        .insert({ organization_id: organizationId, since, overdue_count: overdue, total_count: total })
        .onConflict('organization_id')
        .ignore()
        .returning('organization_id');
      return rows.length > 0;
    },

    /** Ids of all organizations with overdue fleets, which stay overdue until the transaction ends. */
    async shareLock(): Promise<Set<string>> {
      const organizationIds = (await list()).map(({ organizationId }) => organizationId);
      if (organizationIds.length === 0) return new Set();
      const locked = await query<{ id: string }>(sql, SHARE_LOCK, { organizationIds, ids: organizationIds });
      return new Set(locked.map(({ id }) => id));
    },

    /** Null when the fleet is no longer overdue. */
    async lock(organizationId: string): Promise<StoredOverdueFleet | null> {
      const row = await one(organizationId).first().forUpdate();
      return row ? toFleet(row) : null;
    },

    /** False when the fleet is not overdue. */
    async confirm(organizationId: string): Promise<boolean> {
      const confirmedAt = sql.raw('least(confirmed_at, now())');
      return (await one(organizationId).update({ confirmed_at: confirmedAt })) > 0;
    },

    async remove(organizationId: string): Promise<void> {
      await one(organizationId).delete();
    },
  };
}
