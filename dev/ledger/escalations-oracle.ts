/**
 * Every alert escalates, except those that are over when they are recorded. Each of its steps is in its history
 * once and in order, not before its time and not after an acknowledgement, and arrives at the receiver of the
 * step once, or not at all where the alert was acknowledged or over before it was sent; no due step is missing.
 */
import { MINUTE_MS } from '../../src/process/durations.ts';
import type { Finding, LedgerEscalation, Receipt, StoredAlert } from './records.ts';

export interface EscalationRecords {
  /** Null: there was none. */
  escalation: LedgerEscalation | null;
  alerts: readonly StoredAlert[];
  receipts: readonly Receipt[];
  /** ISO 8601: when the alerts were read. */
  readAt: string;
}

/** A due step is made within this time, when everything is up. */
const LATE_MS = 20_000;
/** Processes estimate the clock of the database, by which the history is written. */
const CLOCKS_MS = 1_000;

export function* checkEscalations(records: EscalationRecords): Generator<Finding> {
  const { escalation, alerts, readAt } = records;
  if (!escalation) return;
  const arrived = arrivals(records.receipts);
  const arrivedByThen = arrivals(records.receipts.filter(({ at }) => at <= readAt));
  for (const alert of alerts) {
    if (alert.late) {
      if (alert.escalation) yield finding(alert, 'escalates, though it is an excursion in late data');
      continue;
    }
    if (alert.escalation?.id !== escalation.id && !mayHaveBeenOver(alert))
      yield finding(alert, 'does not escalate');
    yield* checkHistory(alert, escalation);
    yield* checkArrivals(alert, escalation, { arrived, arrivedByThen });
    if (isLate(alert, readAt)) yield finding(alert, `waits for a step of ${alert.escalation?.nextStepAt}`);
  }
}

/** Number of steps that still have to be made, or to arrive. */
export function countStepsLeft({ escalation, alerts, receipts, readAt }: EscalationRecords): number {
  if (!escalation) return 0;
  const due = alerts.filter(({ escalation: own }) => own?.nextStepAt != null && own.nextStepAt <= readAt);
  const arrived = arrivals(receipts);
  const missing = alerts.flatMap((alert) =>
    mayBeLeftOut(alert)
      ? []
      : escalation.steps
          .slice(0, alert.escalation?.step ?? 0)
          .filter(({ receiver }) => !arrived.has(keyOf(receiver, alert.id))),
  );
  return due.length + missing.length;
}

/** Nobody is told of a step any more once somebody has the alert in hand, or it is over. */
const mayBeLeftOut = ({ status }: StoredAlert): boolean => status !== 'new';

/** One transaction may have opened and resolved it: the history has the time at which that began as its end. */
function mayHaveBeenOver({ escalation, history }: StoredAlert): boolean {
  const resolved = history?.find(({ action }) => action === 'resolved');
  return escalation === null && resolved !== undefined && resolved.at <= (history?.[0]?.at ?? '');
}

const isLate = ({ escalation }: StoredAlert, readAt: string): boolean =>
  escalation?.nextStepAt != null && Date.parse(escalation.nextStepAt) < Date.parse(readAt) - LATE_MS;

function* checkHistory(alert: StoredAlert, { steps }: LedgerEscalation): Generator<Finding> {
  const history = alert.history ?? [];
  const made = history.filter(({ action }) => action === 'escalated');
  if (made.length !== (alert.escalation?.step ?? 0))
    yield finding(alert, `shows ${alert.escalation?.step} steps, and ${made.length} in its history`);
  const openedMs = Date.parse(history[0]?.at ?? '');
  for (const [index, { at, comment }] of made.entries()) {
    const dueMs = openedMs + (steps[index]?.afterMinutes ?? 0) * MINUTE_MS;
    if (!comment?.startsWith(`step ${index + 1} of ${steps.length}:`))
      yield finding(alert, `has "${comment}" as its step ${index + 1}`);
    if (Date.parse(at) < dueMs - CLOCKS_MS)
      yield finding(alert, `made step ${index + 1} too early, at ${at}`);
  }
  const acknowledged = history.findIndex(({ action }) => action === 'acknowledged');
  const last = history.findLastIndex(({ action }) => action === 'escalated');
  if (acknowledged !== -1 && last > acknowledged)
    yield finding(alert, 'made a step after it was acknowledged');
}

function* checkArrivals(
  alert: StoredAlert,
  { steps }: LedgerEscalation,
  { arrived, arrivedByThen }: Record<'arrived' | 'arrivedByThen', Arrivals>,
): Generator<Finding> {
  for (const [index, { receiver }] of steps.entries()) {
    const wanted = index < (alert.escalation?.step ?? 0) ? 1 : 0;
    // A step that is not in the alert yet may be made after the alert was read, and arrive.
    const count = (wanted === 1 ? arrived : arrivedByThen).get(keyOf(receiver, alert.id))?.size ?? 0;
    if (count === 0 && mayBeLeftOut(alert)) continue;
    if (count !== wanted) yield finding(alert, `reached "${receiver}" ${count} times, not ${wanted}`);
  }
}

const keyOf = (receiver: string, alertId: string): string => `${receiver} ${alertId}`;

/** Ids of the messages about steps, by receiver and alert: a repeated message has the same id. */
type Arrivals = ReadonlyMap<string, ReadonlySet<string>>;

function arrivals(receipts: readonly Receipt[]): Arrivals {
  const arrived = new Map<string, Set<string>>();
  for (const { receiver, eventId, type, body } of receipts) {
    if (type !== 'notification') continue;
    const { data } = JSON.parse(body) as {
      data: { alerts: Array<{ change: string; alert: { id: string } }> };
    };
    for (const { change, alert } of data.alerts) {
      if (change !== 'escalated') continue;
      const key = keyOf(receiver, alert.id);
      arrived.set(key, (arrived.get(key) ?? new Set()).add(eventId));
    }
  }
  return arrived;
}

const finding = ({ id }: StoredAlert, text: string): Finding => ({
  about: 'escalations',
  text: `${id} ${text}`,
});
