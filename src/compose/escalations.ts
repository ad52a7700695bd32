/**
 * Escalations: their operations, the step of their runs, and the calls to Temporal that start and signal
 * runs.
 */
import { randomUUID } from 'node:crypto';
import type { AlertRef } from '../alerts/alert.ts';
import { createAlertActionsRepository } from '../alerts/alert-actions.repository.ts';
import { createAlertsRepository } from '../alerts/alerts.repository.ts';
import { createUnannouncedAlertsRepository } from '../alerts/unannounced-alerts.repository.ts';
import type { Transaction } from '../db/transaction.ts';
import { createAlertEscalationsRepository } from '../escalations/alert-escalations.repository.ts';
import { createEscalationChangesRepository } from '../escalations/escalation-changes.repository.ts';
import { createEscalationChanges } from '../escalations/escalation-changes.service.ts';
import type { EscalationTitle } from '../escalations/escalation-description.ts';
import { createPoliciesRepository } from '../escalations/escalation-policies.repository.ts';
import { escalationPoliciesRoutes } from '../escalations/escalation-policies.routes.ts';
import { createPoliciesService } from '../escalations/escalation-policies.service.ts';
import { createEscalationRun } from '../escalations/escalation-run.service.ts';
import { addEscalationGauges } from '../escalations/escalations.metrics.ts';
import { createFleetEscalationsRepository } from '../escalations/fleet-escalations.repository.ts';
import { createFleetEscalations } from '../escalations/fleet-escalations.service.ts';
import { createGroupsRepository } from '../groups/groups.repository.ts';
import { createOrganizationsRepository } from '../keys/organizations.repository.ts';
import { createNotificationAlertsRepository } from '../notifications/notification-alerts.repository.ts';
import { createChannelsRepository } from '../notifications/notification-channels.repository.ts';
import { createNotificationsRepository } from '../notifications/notifications.repository.ts';
import { createBackgroundTasks } from '../process/background-tasks.ts';
import { createKeyedSemaphore } from '../process/keyed-semaphore.ts';
import { createMissingWorkflowsSweep } from '../temporal/start-missing-workflows.ts';
import type { Resources } from './resources.ts';

/** Concurrent calls to Temporal, and waiting ones of an organization. */
const CALLS = { perKeyMax: 20, totalMax: 20, waitingMax: 1_000 };

/** Begins, holds and ends runs, after the commit of the cause. */
export function composeEscalationRuns({ starter, onTemporalFault }: Resources) {
  const turns = createKeyedSemaphore(CALLS);
  // A sweep, or the next look of a run, makes up for calls that got no turn.
  const calls = createBackgroundTasks(() => {});
  let isClosed = false;
  const call = (name: string, { organizationId }: AlertRef, work: () => Promise<void>) =>
    calls.add(
      turns.run(organizationId, async () => (isClosed ? undefined : work().catch(onTemporalFault(name)))),
    );
  const start = (alert: AlertRef, title: EscalationTitle | null) =>
    call('start escalation', alert, () => starter.startEscalation(alert, title));
  const signal = (alert: AlertRef) => call('signal escalation', alert, () => starter.signalEscalation(alert));
  const wake = (alerts: AlertRef[]) => alerts.forEach(signal);
  return {
    runs: { begin: start, wake: signal },
    wake,
    /** Called when a mute that holds steps of the organization until then ends early. */
    resume: (tx: Transaction, organizationId: string, mutedUntil: Date): Promise<void> =>
      createEscalationChangesRepository(tx.sql).insertMute(organizationId, mutedUntil),
    async hold(tx: Transaction, alert: AlertRef, snoozeUntil: Date | null): Promise<void> {
      const escalations = createAlertEscalationsRepository(tx.sql);
      if (!(await escalations.hold(alert, snoozeUntil))) return;
      // The run of an acknowledged alert has ended, so a snooze needs a new one.
      const title = snoozeUntil && (await escalations.findTitle(alert));
      tx.afterCommit(() => {
        if (title) start(alert, title);
        signal(alert);
      });
    },
    flush(): Promise<void> {
      isClosed = true;
      return calls.drain();
    },
  };
}

/** This process only stores messages, and claims none. */
const NO_CLAIMS = randomUUID();

type EscalationRuns = ReturnType<typeof composeEscalationRuns>;

export function composeEscalations(resources: Resources, { runs, wake, flush }: EscalationRuns) {
  const { settings, sql, metrics, cached, log, transact, now } = resources;
  const { starter, onRunStarted, onTemporalFault } = resources;
  const policies = createPoliciesRepository(sql);
  const escalations = createAlertEscalationsRepository(sql);
  return {
    routes: escalationPoliciesRoutes({
      policies,
      policiesIn: createPoliciesRepository,
      service: createPoliciesService({
        policiesIn: createPoliciesRepository,
        changesIn: createEscalationChangesRepository,
        channelsIn: createChannelsRepository,
        groupsIn: createGroupsRepository,
        now,
      }),
    }),
    followChanges: createEscalationChanges({
      transact,
      changes: createEscalationChangesRepository(sql),
      changesIn: createEscalationChangesRepository,
      policiesIn: createPoliciesRepository,
      escalationsIn: createAlertEscalationsRepository,
      wakeRuns: wake,
      onSetAside: resources.onSetAside('escalations'),
      now,
    }),
    /** The step of an alert's workflow. */
    run: createEscalationRun({
      transact,
      alertsIn: createAlertsRepository,
      actionsIn: createAlertActionsRepository,
      escalationsIn: createAlertEscalationsRepository,
      policiesIn: createPoliciesRepository,
      organizationsIn: createOrganizationsRepository,
      channelsIn: createChannelsRepository,
      unannouncedIn: createUnannouncedAlertsRepository,
      notificationAlertsIn: createNotificationAlertsRepository,
      notificationsIn: (handle) => createNotificationsRepository(handle, NO_CLAIMS),
      now,
    }),
    startMissingWorkflows: createMissingWorkflowsSweep<AlertRef>({
      listWithoutWorkflow: (olderThanMs, limit) => escalations.listWithoutWorkflow(now(), olderThanMs, limit),
      touchWorkflow: escalations.touchWorkflow,
      findLastRun: starter.findEscalationRun,
      start: async (alert, options) =>
        starter.startEscalation(alert, await escalations.findTitle(alert), options),
      keyOf: ({ alertId }) => alertId,
      wake: async (alert) => {
        if (await escalations.isDue(alert, now())) await starter.signalEscalation(alert);
      },
      checkIntervalMs: settings.runCheckIntervalMs,
      onStarted: ({ alertId }, last) => onRunStarted('escalate-alert', alertId, last),
      onFault: onTemporalFault('sweep escalations'),
    }),
    escalateFleets: createFleetEscalations({
      transact,
      fleets: createFleetEscalationsRepository(sql),
      fleetsIn: createFleetEscalationsRepository,
      unannounced: createUnannouncedAlertsRepository(sql),
      unannouncedIn: createUnannouncedAlertsRepository,
      runs,
      onSetAside: resources.onSetAside('escalations'),
      onBoundHit: (organizationId, limit) =>
        log.warn(
          { organizationId, limit },
          'No escalation matches the alerts of an overdue fleet that are looked at',
        ),
      now,
    }),
    /** Workers only. */
    addGauges: () =>
      addEscalationGauges(
        metrics.registry,
        cached(() => escalations.countOpen(now())),
      ),
    /** Waits for calls to Temporal that are under way, and drops waiting ones. */
    flush,
  };
}
