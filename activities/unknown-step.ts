import { ApplicationFailure, Context } from '@temporalio/activity';

/**
 * Answers steps that this version does not know. In a rolling upgrade a worker of the other version knows it, so it is
 * repeated at first. After `giveUpAfterMs` no worker does, and a run would wait for it for ever: it fails, and the sweep
 * of missing runs starts it anew with the steps of today.
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
