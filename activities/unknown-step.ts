import { ApplicationFailure, Context } from '@temporalio/activity';

/**
 * Answers steps that this version does not know. During a rolling upgrade, a worker of the other version may
 * know the step, so it fails as retryable at first. After `giveUpAfterMs` no worker does, and the run would
 * wait forever: it fails, and the sweep of missing runs restarts it on the current code.
 */
export const createUnknownStep =
  ({ giveUpAfterMs }: { giveUpAfterMs: number }) =>
  async (): Promise<never> => {
    const { activityType, scheduledTimestampMs } = Context.current().info;
    throw ApplicationFailure.create({
      type: 'UnknownStep',
      message: `no worker of this version knows the step ${activityType}`,
      nonRetryable: Date.now() - scheduledTimestampMs > giveUpAfterMs,
    });
  };
