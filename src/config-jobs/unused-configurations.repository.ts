/**
 * Finds the configurations that rows refer to. The referring columns have no index, because every update of a
 * device would have to write it; instead, the rows of all organizations are read page by page.
 */
import type { Sql } from '../db/database.ts';
import { workOnDueRows } from '../db/due-rows.ts';
import { query } from '../db/query.ts';
import { FIRST_ID } from '../process/uuid.ts';
import {
  BEGIN_SNAPSHOT,
  FIND_CANDIDATE,
  LIST_REFERRED_BY_DEVICES,
  LIST_REFERRED_BY_SETTINGS,
  LIST_REFERRED_BY_TARGETS,
  LIST_UNUSED,
  MARK_USED,
  REMOVE_UNUSED,
} from './unused-configurations.statements.ts';

/** Unused ones to which a page of rows refers, and the last row of the page. */
export interface ReferredPage {
  /** Null: the page was empty. */
  last: string[] | null;
  configIds: string[];
}

export type UnusedConfigurationsRepository = ReturnType<typeof createUnusedConfigurationsRepository>;

export function createUnusedConfigurationsRepository(sql: Sql) {
  const listReferred =
    (statement: string, first: string[]) =>
    async (after: string[] | null, limit: number): Promise<ReferredPage> => {
      const [page] = await query<ReferredPage>(sql, statement, [...(after ?? first), limit]);
      return page as ReferredPage;
    };

  return {
    async haveCandidates(): Promise<boolean> {
      return (await query(sql, FIND_CANDIDATE)).length > 0;
    },

    /** All statements of the transaction read one snapshot. Must be its first statement. */
    async beginSnapshot(): Promise<void> {
      await query(sql, BEGIN_SNAPSHOT);
    },

    listReferredByDevices: listReferred(LIST_REFERRED_BY_DEVICES, [FIRST_ID, FIRST_ID]),
    listReferredByTargets: listReferred(LIST_REFERRED_BY_TARGETS, [FIRST_ID, FIRST_ID, FIRST_ID]),
    listReferredBySettings: listReferred(LIST_REFERRED_BY_SETTINGS, [FIRST_ID, FIRST_ID, '-infinity']),

    async markUsed(configIds: string[]): Promise<void> {
      await query(sql, MARK_USED, { configIds });
    },

    /**
     * Removes long unused configurations, after all referenced ones were marked as used. Returns their
     * number.
     */
    async removeUnused(limit: number): Promise<number> {
      const rows = await workOnDueRows(sql, { list: LIST_UNUSED, work: REMOVE_UNUSED }, { limit });
      return rows.length;
    },
  };
}
