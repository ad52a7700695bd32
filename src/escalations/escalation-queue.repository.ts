import { type AlertRef, alertKeys } from '../alerts/alert.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { BEGIN, END } from './escalation-queue.statements.ts';

export interface OpenedAlert extends AlertRef {
  type: string;
  severity: string;
}

export interface BegunEscalation extends AlertRef {
  policyId: string;
  nextStepAt: Date | null;
}

export type EscalationQueueRepository = ReturnType<typeof createEscalationQueueRepository>;

/** Runs in batches of frames, so its statements are prepared. */
export function createEscalationQueueRepository(sql: Sql) {
  return {
    /** Begins the escalation of alerts that match a policy. Returns the escalations. */
    async begin(opened: OpenedAlert[], at: Date): Promise<BegunEscalation[]> {
      if (opened.length === 0) return [];
      return queryPrepared(sql, 'alert_escalations_begin', BEGIN, {
        ...alertKeys(opened),
        types: opened.map(({ type }) => type),
        severities: opened.map(({ severity }) => severity),
        at: opened.map(() => at.toISOString()),
      });
    },

    /** Returns the alerts whose escalations end. */
    async end(ended: AlertRef[]): Promise<AlertRef[]> {
      return ended.length === 0 ? [] : queryPrepared(sql, 'alert_escalations_end', END, alertKeys(ended));
    },
  };
}
