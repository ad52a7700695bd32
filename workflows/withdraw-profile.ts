/**
 * Withdraws the former profile of a large group from its members, after the request that changed or deleted the group.
 * PostgreSQL holds the withdrawal and how far it is, so the run may be terminated and started again at any time.
 */
import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { WithdrawProfileActivities } from '../activities/withdraw-profile.ts';
import type { WithdrawalRef } from '../src/config-jobs/config-job.ts';
import { WITHDRAWING } from '../src/config-jobs/job-description.ts';
import { CHUNKED, openRun, type RunInput } from './run.ts';

const { withdrawFromMembers } = proxyActivities<WithdrawProfileActivities>(CHUNKED);

export async function withdrawProfile(input: WithdrawalRef & RunInput): Promise<string> {
  const run = openRun(input, { organizationId: 'id', withdrawalId: 'id' });
  const { organizationId, withdrawalId } = input;
  return run.repeat({
    async pass() {
      run.show(WITHDRAWING, {});
      await withdrawFromMembers({ organizationId, withdrawalId });
      return 'withdrawn from all members';
    },
    // The group has another profile already, so the withdrawal is completed all the same.
    async onCancel() {},
    continueAsNew: () => continueAsNew<typeof withdrawProfile>(input),
  });
}
