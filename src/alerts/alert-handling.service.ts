/** Handling of alerts by people: acknowledging, commenting, assigning and snoozing. */
import type { Database } from '../db/database.ts';
import type { Publish } from '../db/domain-event.ts';
import { inHalves } from '../db/due-rows.ts';
import type { Actor, Transact, Transaction } from '../db/transaction.ts';
import type { Severity } from '../devices/alert-terms.ts';
import { HOUR_MS, isSoonAfter } from '../process/durations.ts';
import { conflict, invalid, orNotFound } from '../process/errors.ts';
import { grouped } from '../process/grouped.ts';
import { type Alert, type AlertRef, NO_SUCH_ALERT } from './alert.ts';
import type { AlertActionsRepository } from './alert-actions.repository.ts';
import { alertEvent } from './alert-events.ts';
import { acknowledge, type Handling, SNOOZE_HOURS_MAX, type SnoozeChange } from './alert-handling.ts';
import { type AlertAction, historyOf } from './alert-history.ts';
import type { AlertsRepository, RecordedAlert } from './alerts.repository.ts';

export interface AlertHandlingDeps {
  alertsIn(
    sql: Database,
  ): Pick<AlertsRepository, 'find' | 'lock' | 'setHandled' | 'listSnoozeEnded' | 'endSnoozes'>;
  actionsIn(sql: Database): AlertActionsRepository;
  /** Makes the alert due at the end of its snooze on all channels that have it, in the transaction. */
  remindAgain(tx: Transaction, alert: AlertRef, snooze: SnoozeChange): Promise<void>;
  /** Holds the escalation of the alert until then, or ends it (null), in the transaction. */
  holdEscalation(tx: Transaction, alert: AlertRef, snoozeUntil: Date | null): Promise<void>;
  publish: Publish;
  /**
   * Observes the time from the record of an alert to its first acknowledgement, or to the one after a snooze.
   */
  observe(severity: Severity, seconds: number): void;
  /** Called when a snooze could not be ended. */
  onSetAside(alert: AlertRef, error: unknown): void;
  transact: Transact;
  now(): Date;
}

export type AlertWithHistory = Alert & { history: AlertAction[] };

const SNOOZES_AT_ONCE = 500;
const HISTORY_MAX = 500;

export type AlertHandling = ReturnType<typeof createAlertHandling>;

export function createAlertHandling(deps: AlertHandlingDeps) {
  const { alertsIn, actionsIn, remindAgain, holdEscalation, publish, transact, now } = deps;

  async function withHistory(sql: Database, alert: RecordedAlert): Promise<AlertWithHistory> {
    const actions = await actionsIn(sql).list(alert.organizationId, alert.id);
    return { ...alert, history: historyOf(alert, alert.recordedAt, actions) };
  }

  function requireSoon(snoozeUntil: Date | null | undefined): void {
    if (snoozeUntil && !isSoonAfter(snoozeUntil, now(), SNOOZE_HOURS_MAX * HOUR_MS))
      throw invalid(`snoozeUntil must be in the future, at most ${SNOOZE_HOURS_MAX} hours ahead`);
  }

  /** Ends a snooze that is over first: the sweep would make the acknowledged alert new again. */
  async function lockAwake(sql: Database, organizationId: string, alertId: string): Promise<RecordedAlert> {
    const alert = orNotFound(await alertsIn(sql).lock(organizationId, alertId), NO_SUCH_ALERT);
    const at = now();
    if (alert.snoozeUntil === null || alert.snoozeUntil > at) return alert;
    await alertsIn(sql).endSnoozes(organizationId, [alertId], at);
    return (await alertsIn(sql).lock(organizationId, alertId)) as RecordedAlert;
  }

  /** Opening and end are entries of the history, too. */
  async function requireRoom(
    sql: Database,
    { organizationId, id, status }: RecordedAlert,
    added: number,
  ): Promise<void> {
    const shown = (await actionsIn(sql).count(organizationId, id)) + (status === 'resolved' ? 2 : 1);
    if (shown + added > HISTORY_MAX)
      throw conflict(`The history of an alert has at most ${HISTORY_MAX} entries`);
  }

  /** Returns the number of failures, which are isolated; the next sweep tries them again. */
  async function endOf(organizationId: string, alertIds: string[]): Promise<number> {
    let failed = 0;
    await inHalves(
      alertIds,
      (ids) => transact(({ sql }) => alertsIn(sql).endSnoozes(organizationId, ids, now())),
      async (alertId, error) => {
        failed++;
        deps.onSetAside({ organizationId, alertId }, error);
      },
    );
    return failed;
  }

  return {
    /** Null when there is no such alert. */
    async find(sql: Database, organizationId: string, alertId: string): Promise<AlertWithHistory | null> {
      const alert = await alertsIn(sql).find(organizationId, alertId);
      return alert && withHistory(sql, alert);
    },

    /** @throws invalid snoozeUntil, not_found, conflict when it is resolved */
    async acknowledge(
      tx: Transaction,
      organizationId: string,
      alertId: string,
      by: Actor,
      handling: Handling,
    ): Promise<AlertWithHistory> {
      requireSoon(handling.snoozeUntil);
      const before = await lockAwake(tx.sql, organizationId, alertId);
      if (before.status === 'resolved') throw conflict('The alert is resolved already');
      const { alert, actions } = acknowledge(before, handling, by);
      // An acknowledgement is possible even with a full history, because it stops the notifications.
      if (before.status !== 'new' && actions.length > 0) await requireRoom(tx.sql, before, actions.length);
      const isHeld = before.status !== 'new' && alert.snoozeUntil === before.snoozeUntil;
      if (before.escalation && !isHeld)
        await holdEscalation(tx, { organizationId, alertId }, alert.snoozeUntil);
      const [recorded] = await actionsIn(tx.sql).insert(organizationId, alertId, actions, by);
      const after = recorded
        ? await alertsIn(tx.sql).setHandled(organizationId, alertId, alert, recorded.at)
        : before;
      if (alert.snoozeUntil) {
        const snooze = { from: before.snoozeUntil, to: alert.snoozeUntil };
        await remindAgain(tx, { organizationId, alertId }, snooze);
      }
      if (before.status === 'new' && after.isAnnounced && after.acknowledgedAt)
        await publish(tx, [alertEvent('alert.acknowledged', after, after.acknowledgedAt)]);
      if (before.status === 'new') {
        const seconds = (now().getTime() - before.recordedAt.getTime()) / 1000;
        tx.afterCommit(() => deps.observe(before.severity, seconds));
      }
      return withHistory(tx.sql, after);
    },

    /** @throws not_found, conflict when its history is full */
    async comment(
      { sql }: Transaction,
      organizationId: string,
      alertId: string,
      by: Actor,
      comment: string,
    ): Promise<AlertAction> {
      const alert = orNotFound(await alertsIn(sql).lock(organizationId, alertId), NO_SUCH_ALERT);
      await requireRoom(sql, alert, 1);
      const actions = [{ action: 'commented' as const, comment }];
      const [added] = await actionsIn(sql).insert(organizationId, alertId, actions, by);
      return added as AlertAction;
    },

    /** Makes alerts of all organizations new again that are still open at the end of their snooze. */
    async endSnoozes(shouldContinue: () => boolean): Promise<void> {
      for (let isLast = false; !isLast && shouldContinue(); ) {
        const found = await transact(({ sql }) => alertsIn(sql).listSnoozeEnded(now(), SNOOZES_AT_ONCE));
        let failed = 0;
        for (const [organizationId, own] of grouped(found, (each) => each.organizationId))
          failed += await endOf(
            organizationId,
            own.map(({ alertId }) => alertId),
          );
        isLast = found.length < SNOOZES_AT_ONCE || failed > 0;
      }
    },
  };
}
