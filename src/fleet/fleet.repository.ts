import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { COUNT, COUNT_ALL } from './fleet.statements.ts';

/**
 * A number with its key: `status:online`, `sync:applied`, `profile:none`, `alert:no_data`,
 * `endpoint:healthy`, `unregistered:`.
 */
export interface FleetCount {
  key: string;
  count: number;
}

export type FleetRepository = ReturnType<typeof createFleetRepository>;

export const createFleetRepository = (sql: Sql) => ({
  count: (organizationId: string): Promise<FleetCount[]> => query(sql, COUNT, { organizationId }),

  /** Devices of all organizations. */
  countAll: (): Promise<FleetCount[]> => query(sql, COUNT_ALL),
});
