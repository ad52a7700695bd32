/**
 * Begins the escalation of alerts that match a policy, and ends the escalation of resolved ones, in the
 * transaction that opens or resolves them. Runs are started and signalled after the commit; a sweep starts
 * runs that a crash has lost.
 */
import type { AlertRef } from '../alerts/alert.ts';
import type { Sql } from '../db/database.ts';
import type { DomainEvent } from '../db/domain-event.ts';
import { sentTogether } from '../db/query.ts';
import type { InTransaction } from '../db/transaction.ts';
import type { EscalationTitle } from './escalation-description.ts';
import type { BegunEscalation, EscalationQueueRepository } from './escalation-queue.repository.ts';

export interface EscalationQueueDeps {
  queueIn(sql: Sql): EscalationQueueRepository;
  runs: {
    begin(alert: AlertRef, title: EscalationTitle): void;
    wake(alert: AlertRef): void;
  };
  now(): Date;
}

/** Works from the events to be published. Returns the same events; events of alerts show the escalation. */
type QueueEscalations = (tx: InTransaction, events: DomainEvent[]) => Promise<DomainEvent[]>;

type AlertEvent = DomainEvent<'alert.created' | 'alert.resolved'>;

export function createQueueEscalations({ queueIn, runs, now }: EscalationQueueDeps): QueueEscalations {
  return async ({ sql, afterCommit }, events) => {
    const overIds = new Set(events.filter(isEnd).map(({ data }) => data.id));
    const opened = events.filter(mayBegin).filter(({ data }) => !overIds.has(data.id));
    const ended = events.filter(isEnd).filter(({ data }) => data.escalation !== null);
    if (opened.length + ended.length === 0) return events;
    const queue = queueIn(sql);
    const [begins, ends] = await sentTogether([
      queue.begin(opened.map(toOpened), now()),
      queue.end(ended.map(toRef)),
    ]);
    const begun = new Map(begins.map((each) => [each.alertId, each]));
    afterCommit(() => {
      for (const each of ends) runs.wake(each);
      for (const { data } of opened) {
        const escalation = begun.get(data.id);
        if (escalation) runs.begin(escalation, { serialNumber: data.serialNumber, alertType: data.type });
      }
    });
    return events.map((event) => showEscalation(event, begun));
  };
}

/**
 * Leaves out excursions in late data, which are over, and alerts that were acknowledged before they are
 * announced.
 */
const mayBegin = (event: DomainEvent): event is DomainEvent<'alert.created'> =>
  event.type === 'alert.created' && event.data.status === 'new';
const isEnd = (event: DomainEvent): event is DomainEvent<'alert.resolved'> => event.type === 'alert.resolved';

const toRef = ({ organizationId, data: { id } }: AlertEvent) => ({ organizationId, alertId: id });
const toOpened = (event: AlertEvent) => ({
  ...toRef(event),
  type: event.data.type,
  severity: event.data.severity,
});

function showEscalation(event: DomainEvent, begun: ReadonlyMap<string, BegunEscalation>): DomainEvent {
  if (event.type !== 'alert.created') return event;
  const escalation = begun.get(event.data.id);
  if (!escalation) return event;
  const { policyId: id, nextStepAt } = escalation;
  const shown = { id, step: 0, nextStepAt: nextStepAt?.toISOString() ?? null };
  return { ...event, data: { ...event.data, escalation: shown } };
}
