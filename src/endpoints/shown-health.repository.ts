import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { LIST } from './shown-health.statements.ts';
import type { ShownHealth } from './shown-health.ts';

export type ShownHealthRepository = ReturnType<typeof createShownHealthRepository>;

export const createShownHealthRepository = (sql: Sql) => ({
  /** Prepared, because planning it over all partitions takes longer than running it. */
  async list(organizationId: string, endpointIds: string[]): Promise<ShownHealth[]> {
    if (endpointIds.length === 0) return [];
    return queryPrepared(sql, 'endpoints_shown_health', LIST, { organizationId, endpointIds });
  },
});
