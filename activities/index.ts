import { createApplyProfileActivities, type JobRunSteps, type JobUpdates } from './apply-profile.ts';
import {
  createDeliverWebhooksActivities,
  type EndpointUpdates,
  type RecoverySteps,
} from './deliver-webhooks.ts';
import { type AlertUpdates, createEscalateAlertActivities, type EscalationSteps } from './escalate-alert.ts';
import { createTurns, type TurnsOptions } from './turns.ts';
import { createUnknownStep } from './unknown-step.ts';
import { createWithdrawProfileActivities, type WithdrawalSteps } from './withdraw-profile.ts';

export interface ActivityDeps {
  jobRun: JobRunSteps;
  recoverySteps: RecoverySteps;
  escalationRun: EscalationSteps;
  withdrawals: WithdrawalSteps;
  /** The updates of operators in the Temporal UI. */
  updates: JobUpdates & EndpointUpdates & AlertUpdates;
  /** Limits the steps that send to receivers. */
  turns: TurnsOptions;
  unknownSteps: Parameters<typeof createUnknownStep>[0];
}

export const createActivities = (deps: ActivityDeps) => ({
  ...createApplyProfileActivities(deps.jobRun, deps.updates),
  ...createDeliverWebhooksActivities(deps.recoverySteps, deps.updates, createTurns(deps.turns)),
  ...createEscalateAlertActivities(deps.escalationRun, deps.updates),
  ...createWithdrawProfileActivities(deps.withdrawals),
  // The SDK calls this for all other activity names.
  default: createUnknownStep(deps.unknownSteps),
});
