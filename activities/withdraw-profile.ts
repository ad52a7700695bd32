/** The activity of `workflows/withdraw-profile.ts`, which can be repeated without harm. */
import type { WithdrawalRef } from '../src/config-jobs/config-job.ts';
import { inChunks } from './heartbeat.ts';
import type { createTurns } from './turns.ts';

export interface WithdrawProfileActivities {
  /** Withdraws the former profile of the group from its members, chunk by chunk, and then removes the withdrawal. */
  withdrawFromMembers(withdrawal: WithdrawalRef): Promise<void>;
}

export interface WithdrawalSteps {
  /** Withdraws from the next members. Returns the last one; null when all are done. */
  withdrawNext(withdrawal: WithdrawalRef): Promise<string | null>;
}

export const createWithdrawProfileActivities = (
  { withdrawNext }: WithdrawalSteps,
  inTurn: ReturnType<typeof createTurns>,
): WithdrawProfileActivities => ({
  withdrawFromMembers: inTurn(inChunks((_, withdrawal: WithdrawalRef) => withdrawNext(withdrawal))),
});
