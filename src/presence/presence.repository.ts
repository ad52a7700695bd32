import type { Database } from '../db/database.ts';
import { type DueRow, workOnDueRows } from '../db/due-rows.ts';
import { query } from '../db/query.ts';
import type { Excuses } from './ingress-availability.ts';
import { FLEET_OVERDUE_MIN, type OverdueFleet } from './overdue-fleet.ts';
import {
  COUNT_OVERDUE,
  LIST_DUE_CHECKS,
  LIST_OVERDUE,
  MARK_OVERDUE_OFFLINE,
  POSTPONE_CHECKS,
} from './presence.statements.ts';
import type { DeviceKey } from './presence-columns.ts';

/** A device whose expected contact was missed. */
export interface OverdueDevice extends DeviceKey {
  serialNumber: string;
  expectedBy: Date;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    overdue_checks: { organization_id: string; asset_id: string; check_at: Date };
  }
}

export interface OverdueQuery extends Excuses {
  now: Date;
  limit: number;
}

const toBindings = ({ now, outages, isOngoing }: Omit<OverdueQuery, 'limit'>) => ({
  now: now.toISOString(),
  startedAt: outages.map(({ startedAt }) => startedAt.toISOString()),
  endedAt: outages.map(({ endedAt }) => endedAt.toISOString()),
  isOngoing,
});

export type PresenceRepository = ReturnType<typeof createPresenceRepository>;

/** Statements of sweeps work on all organizations at once. */
export function createPresenceRepository(sql: Database) {
  return {
    /** Devices that are due for a check but not overdue, without locks. */
    listDueChecks: ({ limit, ...overdue }: OverdueQuery): Promise<DueRow[]> =>
      query(sql, LIST_DUE_CHECKS, { ...toBindings(overdue), limit }),

    /** Plans the next check of those that are still due and not overdue. Returns their number. */
    async postponeChecks(overdue: Omit<OverdueQuery, 'limit'>, due: readonly DueRow[]): Promise<number> {
      const organizationIds = due.map(({ organizationId }) => organizationId);
      const ids = due.map(({ id }) => id);
      return (await query(sql, POSTPONE_CHECKS, { ...toBindings(overdue), organizationIds, ids })).length;
    },

    /**
     * Marks devices offline whose deadline has passed, and locks their states. Deadlines are paused while an
     * ingress is down, for exactly that long. Covers all organizations.
     */
    markOverdueOffline({ limit, ...overdue }: OverdueQuery): Promise<OverdueDevice[]> {
      const bindings = toBindings(overdue);
      const list = query<DueRow>(sql, LIST_OVERDUE, { ...bindings, limit });
      return workOnDueRows(sql, { list, work: MARK_OVERDUE_OFFLINE }, bindings);
    },

    /** Whether a device is overdue that is not marked, for example because its state is locked. */
    async isAnyOverdue(overdue: Omit<OverdueQuery, 'limit'>): Promise<boolean> {
      return (await query(sql, LIST_OVERDUE, { ...toBindings(overdue), limit: 1 })).length > 0;
    },

    /** The sweep skips the device until then, unless it is in contact. */
    async postponeCheck({ organizationId, assetId }: DeviceKey, until: Date): Promise<void> {
      await sql('overdue_checks')
        .where({ organization_id: organizationId, asset_id: assetId })
        .update({ check_at: until });
    },

    /** Organizations with more overdue devices than any may have at once, and their active assets. */
    countOverdue(overdue: Omit<OverdueQuery, 'limit'>): Promise<OverdueFleet[]> {
      return query(sql, COUNT_OVERDUE, { ...toBindings(overdue), overdueMin: FLEET_OVERDUE_MIN });
    },
  };
}
