/**
 * The activity of `workflows/escalate-alert.ts`: one transaction, which makes the due step and can be
 * repeated without harm. The step and its notifications are stored together, under the lock of the alert, so
 * none is lost or made twice, and none follows an acknowledgement.
 */
import type { AlertRef } from '../alerts/alert.ts';
import type { AlertActionsRepository } from '../alerts/alert-actions.repository.ts';
import type { AlertsRepository } from '../alerts/alerts.repository.ts';
import type { UnannouncedAlertsRepository } from '../alerts/unannounced-alerts.repository.ts';
import type { Database } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import { composeEscalation, type Message } from '../notifications/message.ts';
import type { NotificationAlertsRepository } from '../notifications/notification-alerts.repository.ts';
import { type NamedChannel, placeOfChannel } from '../notifications/notification-channel.ts';
import type { NotificationsRepository } from '../notifications/notifications.repository.ts';
import {
  type AlertEscalation,
  type EscalatedFleet,
  type EscalationDetails,
  type EscalationView,
  heldBy,
  type NextStepView,
  type ShownChannel,
  stateOf,
} from './alert-escalation.ts';
import type { AlertEscalationsRepository } from './alert-escalations.repository.ts';
import { afterStep, nextStep, type PlannedStep } from './escalation-plan.ts';
import type { PoliciesRepository } from './escalation-policies.repository.ts';
import type { EscalationPolicy } from './escalation-policy.ts';
import {
  describeStep,
  type Escalating,
  escalationView,
  type HeldStep,
  notifiedChannelIds,
} from './escalation-view.ts';

export interface EscalationRunDeps {
  transact: Transact;
  alertsIn(sql: Database): Pick<AlertsRepository, 'lock'>;
  actionsIn(sql: Database): Pick<AlertActionsRepository, 'insert'>;
  escalationsIn(
    sql: Database,
  ): Pick<
    AlertEscalationsRepository,
    'lock' | 'recordStep' | 'setState' | 'plan' | 'touchWorkflow' | 'findMutedUntil'
  >;
  policiesIn(sql: Database): Pick<PoliciesRepository, 'find'>;
  organizationsIn(sql: Database): { findName(id: string): Promise<string | null> };
  /** Channels that messages may be sent to, in the order of the ids. */
  channelsIn(sql: Database): {
    listActive(organizationId: string, ids: string[]): Promise<NamedChannel[]>;
    listOutcomes(
      organizationId: string,
      ids: string[],
    ): Promise<Array<NamedChannel & Pick<ShownChannel, 'lastError'>>>;
  };
  notificationsIn(sql: Database): Pick<NotificationsRepository, 'insertEscalation'>;
  /** Counts the open alerts of an overdue fleet. */
  unannouncedIn(sql: Database): Pick<UnannouncedAlertsRepository, 'count'>;
  notificationAlertsIn(sql: Database): Pick<NotificationAlertsRepository, 'listAlerts'>;
  now(): Date;
}

interface Plan {
  /** Null: no step follows. */
  next: HeldStep | null;
  held: EscalationDetails['held'];
}

const NOTHING_PLANNED: Plan = { next: null, held: null };

export function createEscalationRun(deps: EscalationRunDeps) {
  const { transact, alertsIn, escalationsIn, policiesIn, notificationsIn, now } = deps;

  async function findPlan(
    sql: Database,
    { ref, alert, escalation }: Escalating,
    policy: EscalationPolicy,
  ): Promise<Plan> {
    const step = nextStep(policy, escalation);
    // The mute of one device does not mute the others of its fleet.
    const mutedUntil = escalation.fleet ? null : await escalationsIn(sql).findMutedUntil(ref, now());
    const hold = heldBy(alert.status === 'acknowledged' ? alert.snoozeUntil : null, mutedUntil);
    const held = hold && { by: hold.by, until: hold.until.toISOString() };
    if (!step) return { next: null, held };
    const isHeld = hold !== null && hold.until > step.at;
    const next = {
      ...step,
      dueAt: isHeld ? hold.until : step.at,
      heldBy: isHeld ? hold.by : null,
      mutedUntil,
    };
    return { next, held };
  }

  async function listChannels(
    sql: Database,
    { organizationId }: AlertRef,
    ids: string[],
  ): Promise<ShownChannel[]> {
    const channels = await deps.channelsIn(sql).listOutcomes(organizationId, ids);
    return channels.map((channel) => ({ place: placeOfChannel(channel), lastError: channel.lastError }));
  }

  async function toView(
    sql: Database,
    escalating: Escalating,
    policy: EscalationPolicy | null,
    { next, held }: Plan,
    isStepNew = false,
  ): Promise<EscalationView> {
    const { ref, escalation } = escalating;
    const notified = policy ? await listChannels(sql, ref, notifiedChannelIds(policy, escalation)) : [];
    const following = next ? await deps.channelsIn(sql).listActive(ref.organizationId, next.channelIds) : [];
    const nextChannels = following.map((channel) => ({ place: placeOfChannel(channel), lastError: null }));
    const details = { notified, nextChannels, held, isStepNew };
    return escalationView(escalating, policy, next, { now: now(), details });
  }

  async function compose(
    sql: Database,
    { organizationId, alertId }: AlertRef,
    { fleet, hasBeenSnoozed }: AlertEscalation,
    { position, isRepeat }: PlannedStep,
    { steps }: EscalationPolicy,
  ): Promise<Message> {
    const [alert] = await deps.notificationAlertsIn(sql).listAlerts(organizationId, [alertId]);
    if (!alert) throw new Error('The asset of an alert that escalates is gone');
    const isFirst = position === 1 && !isRepeat;
    const counted = fleet && !isFirst ? await countFleet(sql, organizationId, fleet) : fleet;
    return composeEscalation({
      alert,
      step: position,
      isRepeat,
      stepCount: steps.length,
      isAtOnce: isFirst && steps[0]?.afterMinutes === 0,
      hasBeenSnoozed,
      fleet: counted,
    });
  }

  /**
   * Counts the fleet again for later steps; the first step shows it as it was when it became overdue. Null:
   * it is no longer overdue.
   */
  async function countFleet(
    sql: Database,
    organizationId: string,
    fleet: EscalatedFleet,
  ): Promise<EscalatedFleet | null> {
    const overdue = await deps.unannouncedIn(sql).count(organizationId, fleet.total);
    return overdue === 0 ? null : { ...fleet, overdue };
  }

  /** Returns the escalation after the step. */
  async function makeStep(
    sql: Database,
    escalating: Escalating,
    policy: EscalationPolicy,
    step: PlannedStep,
  ): Promise<AlertEscalation> {
    const { ref, escalation } = escalating;
    const { organizationId } = ref;
    const at = now();
    const after = afterStep(escalation, step, at);
    const nextStepAt = nextStep(policy, after)?.at ?? null;
    await escalationsIn(sql).recordStep(ref, escalation, after, nextStepAt);
    const channels = await deps.channelsIn(sql).listActive(organizationId, step.channelIds);
    const comment = describeStep(step, policy, channels);
    await deps.actionsIn(sql).insert(organizationId, ref.alertId, [{ action: 'escalated', comment }], null);
    const made = { ...escalation, ...after, nextStepAt, mutedUntil: null };
    const message = await compose(sql, ref, made, step, policy);
    for (const { id: channelId } of channels)
      await notificationsIn(sql).insertEscalation({ organizationId, channelId }, message, at);
    return made;
  }

  async function lock(sql: Database, ref: AlertRef): Promise<Escalating | null> {
    const alert = await alertsIn(sql).lock(ref.organizationId, ref.alertId);
    const escalation = alert && (await escalationsIn(sql).lock(ref));
    if (!escalation) return null;
    const organizationName = (await deps.organizationsIn(sql).findName(ref.organizationId)) ?? '';
    return { ref, organizationName, alert, escalation };
  }

  const makeDueStepOnce = (ref: AlertRef): Promise<EscalationView | null> =>
    transact(async ({ sql }) => {
      const found = await lock(sql, ref);
      if (!found) return null;
      const { alert, escalation } = found;
      const { organizationId } = ref;
      const policy = await policiesIn(sql).find({ organizationId, policyId: escalation.policyId });
      const state =
        escalation.state === 'open' ? stateOf(alert, policy, escalation.beganAt) : escalation.state;
      const escalating = { ...found, escalation: { ...escalation, state } };
      await escalationsIn(sql).touchWorkflow(ref);
      if (state !== escalation.state) await escalationsIn(sql).setState(ref, state);
      if (state !== 'open' || !policy) return toView(sql, escalating, policy, NOTHING_PLANNED);
      const plan = await findPlan(sql, escalating, policy);
      const { next } = plan;
      if (next && next.dueAt <= now()) {
        const after = { ...escalating, escalation: await makeStep(sql, escalating, policy, next) };
        return toView(sql, after, policy, await findPlan(sql, after, policy), true);
      }
      const planned = { nextStepAt: next?.at ?? null, mutedUntil: next?.mutedUntil ?? null };
      if (!isPlanned(escalation, planned)) await escalationsIn(sql).plan(ref, planned);
      return toView(sql, escalating, policy, plan);
    });

  /**
   * Whether the mute ended before the row showed that the escalation waits for it: no other transaction would
   * then wake the escalation.
   */
  const hasMuteEnded = (ref: AlertRef, { at }: NextStepView): Promise<boolean> =>
    transact(async ({ sql }) => {
      const until = await escalationsIn(sql).findMutedUntil(ref, now());
      return until?.toISOString() !== at;
    });

  return {
    /** Null when the alert is gone. Makes one step at a time; the next one, if overdue too, is due at once. */
    async makeDueStep(ref: AlertRef): Promise<EscalationView | null> {
      for (;;) {
        const view = await makeDueStepOnce(ref);
        if (view?.next?.heldBy !== 'mute' || !(await hasMuteEnded(ref, view.next))) return view;
      }
    },
  };
}

type Planned = Pick<AlertEscalation, 'nextStepAt' | 'mutedUntil'>;

const isPlanned = (one: Planned, other: Planned): boolean =>
  one.nextStepAt?.getTime() === other.nextStepAt?.getTime() &&
  one.mutedUntil?.getTime() === other.mutedUntil?.getTime();
