/** The organizations whose fleets are overdue: a handful of rows at most. */
import type { Sql } from '../db/database.ts';
import { eachOrganization, oneOrNone } from '../db/each-organization.ts';
import { query } from '../db/query.ts';
import type { OverdueFleet } from './overdue-fleet.ts';

export interface StoredOverdueFleet extends OverdueFleet {
  beganAt: Date;
  isConfirmed: boolean;
}

const COLUMNS = `organization_id as "organizationId", began_at as "beganAt", since, overdue_count as overdue,
  total_count as total, confirmed_at is not null as "isConfirmed"`;

export type OverdueFleetsRepository = ReturnType<typeof createOverdueFleetsRepository>;

export function createOverdueFleetsRepository(sql: Sql) {
  return {
    /** False when the fleet is overdue already. */
    async insert({ organizationId, since, overdue, total }: OverdueFleet): Promise<boolean> {
      const rows = await query(
        sql,
        `insert into overdue_fleets (organization_id, since, overdue_count, total_count)
         values (?, ?, ?, ?) on conflict do nothing returning 1`,
        [organizationId, since.toISOString(), overdue, total],
      );
      return rows.length > 0;
    },

    /** Of all organizations. */
    list(): Promise<StoredOverdueFleet[]> {
      return query(sql, `select ${COLUMNS} from overdue_fleets order by organization_id`);
    },

    /** Ids of all organizations whose fleets are overdue; none of them ends before the transaction does. */
    async shareLock(): Promise<Set<string>> {
      const all = {
        text: `select organization_id as "organizationId" from overdue_fleets order by organization_id`,
      };
      const rows = await eachOrganization(sql, all, (organizationId) => {
        const own = organizationId === null ? '' : 'where organization_id = ?';
        return query<{ organizationId: string }>(
          sql,
          `select organization_id as "organizationId" from overdue_fleets ${own} order by organization_id for key share`,
          oneOrNone(organizationId),
        );
      });
      return new Set(rows.map(({ organizationId }) => organizationId));
    },

    /** Null when it has ended. */
    async lock(organizationId: string): Promise<StoredOverdueFleet | null> {
      const [row] = await query<StoredOverdueFleet>(
        sql,
        `select ${COLUMNS} from overdue_fleets where organization_id = ? for update`,
        [organizationId],
      );
      return row ?? null;
    },

    /** False when the fleet is not overdue. */
    async confirm(organizationId: string): Promise<boolean> {
      const rows = await query(
        sql,
        `update overdue_fleets set confirmed_at = least(confirmed_at, now()) where organization_id = ? returning 1`,
        [organizationId],
      );
      return rows.length > 0;
    },

    async remove(organizationId: string): Promise<void> {
      await query(sql, 'delete from overdue_fleets where organization_id = ?', [organizationId]);
    },

    /** For a metric. */
    async count(): Promise<number> {
      const [row] = await query<{ count: number }>(sql, 'select count(*) as count from overdue_fleets');
      return row?.count ?? 0;
    },
  };
}
