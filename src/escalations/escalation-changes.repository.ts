/** Pending changes, which the open escalations of an organization have yet to follow. */
import { acrossOrganizations } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { PolicyRef } from './escalation-policy.ts';

export interface ChangeRef {
  organizationId: string;
  id: string;
}

export interface EscalationChange extends ChangeRef {
  /** The policy that was changed, disabled or deleted; null: a mute has ended. */
  policyId: string | null;
  /** The planned end of a mute that has ended earlier; null: a policy has changed. */
  mutedUntil: Date | null;
  /** Null: no escalation has followed yet. */
  afterAlertId: string | null;
}

type ChangeRow = Columns<EscalationChange>;

declare module 'knex/types/tables.js' {
  interface Tables {
    escalation_changes: ChangeRow;
  }
}

const toChange = (row: ChangeRow): EscalationChange => ({
  organizationId: row.organization_id,
  id: row.id,
  policyId: row.policy_id,
  mutedUntil: row.muted_until,
  afterAlertId: row.after_alert_id,
});

export type EscalationChangesRepository = ReturnType<typeof createEscalationChangesRepository>;

export function createEscalationChangesRepository(sql: Database) {
  const one = ({ organizationId, id }: ChangeRef) =>
    sql('escalation_changes').where({ organization_id: organizationId, id });

  return {
    /** A change that is already being followed starts over. */
    async insertPolicy({ organizationId, policyId }: PolicyRef): Promise<void> {
      await sql('escalation_changes')
        .insert({ organization_id: organizationId, policy_id: policyId })
        .onConflict(['organization_id', 'policy_id'])
        .merge({ after_alert_id: null });
    },

    async insertMute(organizationId: string, mutedUntil: Date): Promise<void> {
      await sql('escalation_changes')
        .insert({ organization_id: organizationId, muted_until: mutedUntil })
        .onConflict(['organization_id', 'muted_until'])
        .merge({ after_alert_id: null });
    },

    /** The first change of each organization after that id, except these changes. */
    listFirst: (after: string, limit: number, except: string[]): Promise<ChangeRef[]> =>
      acrossOrganizations(sql('escalation_changes'))
        .distinctOn('organization_id')
        .where('organization_id', '>', after)
        .whereRaw('id <> all(?::uuid[])', [except])
        .orderBy(['organization_id', 'id'])
        .limit(limit)
        .select({ organizationId: 'organization_id', id: 'id' }),

    /** Null when the change is gone, or another transaction has locked it. */
    async lock(ref: ChangeRef): Promise<EscalationChange | null> {
      const row = await one(ref).first().forUpdate().skipLocked();
      return row ? toChange(row) : null;
    },

    async advance(ref: ChangeRef, afterAlertId: string): Promise<void> {
      await one(ref).update({ after_alert_id: afterAlertId });
    },

    async remove(ref: ChangeRef): Promise<void> {
      await one(ref).delete();
    },
  };
}
