import { ApplicationFailure, Context } from '@temporalio/activity';
import { createApplyProfileActivities, type JobRunSteps, type JobUpdates } from './apply-profile.ts';
import {
  createDeliverWebhooksActivities,
  type EndpointUpdates,
  type RecoverySteps,
} from './deliver-webhooks.ts';
import { type AlertUpdates, createEscalateAlertActivities, type EscalationSteps } from './escalate-alert.ts';
import { createTurns } from './turns.ts';
import { createWithdrawProfileActivities, type WithdrawalSteps } from './withdraw-profile.ts';

export interface ActivityDeps {
  jobRun: JobRunSteps;
  recoverySteps: RecoverySteps;
  escalationRun: EscalationSteps;
  withdrawals: WithdrawalSteps;
  /** The updates of operators in the Temporal UI. */
  updates: JobUpdates & EndpointUpdates & AlertUpdates;
  /** Steps of one organization at the same time. */
  perOrganizationMax: {
    /** Steps that send to receivers. */
    endpoints: number;
    /** Steps that go through many devices in chunks. */
    jobs: number;
  };
  unknownStepsGiveUpMs: number;
}

export function createActivities(deps: ActivityDeps) {
  const inJobTurn = createTurns(deps.perOrganizationMax.jobs);
  const inEndpointTurn = createTurns(deps.perOrganizationMax.endpoints);
  return {
    ...createApplyProfileActivities(deps.jobRun, deps.updates, inJobTurn),
    ...createDeliverWebhooksActivities(deps.recoverySteps, deps.updates, inEndpointTurn),
    ...createEscalateAlertActivities(deps.escalationRun, deps.updates),
    ...createWithdrawProfileActivities(deps.withdrawals, inJobTurn),
    // The SDK calls this for all other activity names.
    default: createUnknownStep(deps.unknownStepsGiveUpMs),
  };
}

/**
 * Answers steps that this version does not know. During a rolling upgrade, a worker of the other version may
 * know the step, so it fails as retryable at first. After `giveUpAfterMs` no worker does, and the run would
 * wait forever: it fails, and the sweep of missing runs restarts it on the current code. Both times are of the Temporal
 * server, because the clock of this machine may be fast.
 */
const createUnknownStep = (giveUpAfterMs: number) => async (): Promise<never> => {
  const { activityType, scheduledTimestampMs, currentAttemptScheduledTimestampMs } = Context.current().info;
  throw ApplicationFailure.create({
    type: 'UnknownStep',
    message: `no worker of this version knows the step ${activityType}`,
    nonRetryable: currentAttemptScheduledTimestampMs - scheduledTimestampMs >= giveUpAfterMs,
  });
};
