import { Context, heartbeat } from '@temporalio/activity';
import { stepwise } from '../src/process/pages.ts';
import { toFailure } from './failures.ts';

const HEARTBEAT_INTERVAL_MS = 2_000;
/** A chunk that takes longer than its statements may hangs: without heartbeats, another worker repeats the step. */
const CHUNK_MAX_MS = 180_000;
/** The SDK's message for cancellations by a stopping worker. */
const WORKER_SHUTDOWN = 'WORKER_SHUTDOWN';

/** Shown in the Temporal UI beside the step, while it runs. */
interface Progress {
  chunksDone: number;
  /** The last item of the last chunk. */
  cursor: string | null;
}

/**
 * Wraps an activity with heartbeats, so that Temporal notices within seconds that its worker has died. A
 * stopping worker fails activities that do not end in time, so another worker repeats them at once.
 */
export const withHeartbeat =
  <Args extends unknown[], Result>(activity: (...args: Args) => Promise<Result>) =>
  (...args: Args): Promise<Result> =>
    beating(() => activity(...args), heartbeat);

/**
 * Wraps an activity that goes through many items in chunks: `next` does the chunk after a cursor, and returns the next
 * cursor, or null at the end. A repetition begins with the items that the rows show as left, because a cursor would
 * outlive the rows of a database that was restored. A step that is cancelled makes no further chunk, because the one that
 * repeats it locks the same rows.
 */
export const inChunks =
  <Args extends unknown[]>(next: (cursor: string | null, ...args: Args) => Promise<string | null>) =>
  (...args: Args): Promise<void> => {
    const { cancellationSignal } = Context.current();
    const progress: Progress = { chunksDone: 0, cursor: null };
    let chunkBeganAt = performance.now();
    const nextChunk = async (cursor: string | null): Promise<string | null> => {
      chunkBeganAt = performance.now();
      const after = await next(cursor, ...args);
      progress.chunksDone++;
      progress.cursor = after;
      heartbeat({ ...progress });
      return after;
    };
    return beating(
      async () => {
        const isDone = await stepwise(nextChunk, () => !cancellationSignal.aborted);
        if (!isDone) await untilCancelled();
      },
      () => {
        if (performance.now() - chunkBeganAt < CHUNK_MAX_MS) heartbeat({ ...progress });
      },
    );
  };

async function beating<Result>(work: () => Promise<Result>, beat: () => void): Promise<Result> {
  const timer = setInterval(beat, HEARTBEAT_INTERVAL_MS);
  try {
    return await Promise.race([work(), untilCancelled()]);
  } catch (error) {
    throw toFailure(error);
  } finally {
    clearInterval(timer);
  }
}

/** Only rejects. */
const untilCancelled = (): Promise<never> =>
  Context.current().cancelled.catch((reason: Error) => {
    // Any other cancellation is passed on: a failure in its place would be repeated.
    if (reason.message === WORKER_SHUTDOWN)
      throw new Error('The worker stops: another one repeats this step');
    throw reason;
  });
