/** The organizations whose fleets are silent: a handful of rows at most. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { FleetSilence } from './fleet-silence.ts';

export interface OpenSilence extends FleetSilence {
  beganAt: Date;
  isConfirmed: boolean;
}

const COLUMNS = `organization_id as "organizationId", began_at as "beganAt", since, silent_count as silent,
  total_count as total, confirmed_at is not null as "isConfirmed"`;

export type FleetSilencesRepository = ReturnType<typeof createFleetSilencesRepository>;

export function createFleetSilencesRepository(sql: Sql) {
  return {
    /** False when the fleet is silent already. */
    async insert({ organizationId, since, silent, total }: FleetSilence): Promise<boolean> {
      const rows = await query(
        sql,
        `insert into fleet_silences (organization_id, since, silent_count, total_count)
         values (?, ?, ?, ?) on conflict do nothing returning 1`,
        [organizationId, since.toISOString(), silent, total],
      );
      return rows.length > 0;
    },

    /** Of all organizations. */
    list(): Promise<OpenSilence[]> {
      return query(sql, `select ${COLUMNS} from fleet_silences order by organization_id`);
    },

    /** Ids of all organizations whose fleets are silent; none of the silences ends before the transaction does. */
    async shareLock(): Promise<Set<string>> {
      const rows = await query<{ organizationId: string }>(
        sql,
        `select organization_id as "organizationId" from fleet_silences order by organization_id for key share`,
      );
      return new Set(rows.map(({ organizationId }) => organizationId));
    },

    /** Null when it has ended. */
    async lock(organizationId: string): Promise<OpenSilence | null> {
      const [row] = await query<OpenSilence>(
        sql,
        `select ${COLUMNS} from fleet_silences where organization_id = ? for update`,
        [organizationId],
      );
      return row ?? null;
    },

    /** False when the fleet is not silent. */
    async confirm(organizationId: string): Promise<boolean> {
      const rows = await query(
        sql,
        `update fleet_silences set confirmed_at = coalesce(confirmed_at, now()) where organization_id = ? returning 1`,
        [organizationId],
      );
      return rows.length > 0;
    },

    async remove(organizationId: string): Promise<void> {
      await query(sql, 'delete from fleet_silences where organization_id = ?', [organizationId]);
    },

    /** For a metric. */
    async count(): Promise<number> {
      const [row] = await query<{ count: number }>(sql, 'select count(*) as count from fleet_silences');
      return row?.count ?? 0;
    },
  };
}
