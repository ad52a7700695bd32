import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { COUNT, COUNT_ALL, COUNT_MEMBERS } from './fleet.statements.ts';

/**
 * A number with its key: `status:online`, `sync:applied`, `unprofiled:applied`, `alert:no_data`,
 * `endpoint:healthy`, `unregistered:`.
 */
export interface FleetCount {
  key: string;
  count: number;
}

export type FleetRepository = ReturnType<typeof createFleetRepository>;

export const createFleetRepository = (sql: Sql) => ({
  count: (organizationId: string): Promise<FleetCount[]> => query(sql, COUNT, { organizationId }),

  /** Members of a group. */
  countMembers: (organizationId: string, groupId: string): Promise<FleetCount[]> =>
    query(sql, COUNT_MEMBERS, { organizationId, groupId }),

  /** Devices of all organizations. */
  countAll: (): Promise<FleetCount[]> => query(sql, COUNT_ALL),
});
