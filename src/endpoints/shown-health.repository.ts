import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { LIST } from './shown-health.statements.ts';
import type { ShownHealth } from './shown-health.ts';

export type ShownHealthRepository = ReturnType<typeof createShownHealthRepository>;

export const createShownHealthRepository = (sql: Sql) => ({
  list: (organizationId: string, endpointIds: string[]): Promise<ShownHealth[]> =>
    query(sql, LIST, { organizationId, endpointIds }),
});
