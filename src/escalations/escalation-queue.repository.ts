import type { AlertRef } from '../alerts/alert.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { EscalationState } from './alert-escalation.ts';
import { BEGIN_AND_END } from './escalation-queue.statements.ts';

export interface OpenedAlert extends AlertRef {
  type: string;
  severity: string;
}

export interface ChangedEscalation extends AlertRef {
  policyId: string;
  state: EscalationState;
  nextStepAt: Date | null;
}

export type EscalationQueueRepository = ReturnType<typeof createEscalationQueueRepository>;

/** Runs in batches of frames, so its statement is prepared. */
export function createEscalationQueueRepository(sql: Sql) {
  return {
    /** Runs in the transaction of the alerts. Returns the escalations that begin and end. */
    change(opened: OpenedAlert[], ended: AlertRef[], at: Date): Promise<ChangedEscalation[]> {
      return queryPrepared(sql, 'alert_escalations_queue', BEGIN_AND_END, [
        ended.map(({ organizationId }) => organizationId),
        ended.map(({ alertId }) => alertId),
        opened.map(({ organizationId }) => organizationId),
        opened.map(({ alertId }) => alertId),
        opened.map(({ type }) => type),
        opened.map(({ severity }) => severity),
        opened.map(() => at.toISOString()),
      ]);
    },
  };
}
