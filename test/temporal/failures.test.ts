/** Errors of steps: which ones end the run, and what a step shows while it runs. */
import assert from 'node:assert/strict';
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { toFailure } from '../../activities/failures.ts';
import { inChunks } from '../../activities/heartbeat.ts';
import { AppError, conflict, invalid } from '../../src/process/errors.ts';

const coded = (code: string, more: object = {}) =>
  Object.assign(new Error('of the database'), { code, ...more });

describe('The error of a step', () => {
  const ends = (error: unknown): boolean => {
    const failure = toFailure(error);
    return failure instanceof ApplicationFailure && failure.nonRetryable === true;
  };

  it('ends the run when no repetition cures it: a refusal, a value that the database refuses, a defect', () => {
    for (const error of [
      conflict('The job has ended'),
      invalid('The deadline must be later'),
      coded('22003'),
      coded('23502'),
      coded('23514', { constraint: 'config_jobs_stage_check' }),
      new TypeError('Cannot read properties of null'),
    ])
      assert.equal(ends(error), true, String(error));
  });

  it('permits repetitions while a server is away or busy, a lock is held, or a partition is missing', () => {
    for (const error of [
      new AppError('unavailable', 'Try again soon'),
      new AppError('rate_limited', 'Try again soon'),
      coded('57P01'),
      coded('55P03'),
      coded('40P01'),
      coded('23505'),
      coded('23514'),
      new Error('Connection terminated unexpectedly'),
    ])
      assert.equal(toFailure(error), error, String(error));
  });

  it('hides the statement of the database with its values, and keeps the frames of the stack', () => {
    const message = `update endpoints set secret = 's3cret - x' - canceling statement due to lock timeout`;
    for (const code of ['55P03', '22003']) {
      const failure = toFailure(Object.assign(new Error(message), { code, severity: 'ERROR' }));
      assert.ok(failure instanceof ApplicationFailure);
      assert.equal(failure.message, 'Error: canceling statement due to lock timeout');
      assert.doesNotMatch(failure.stack ?? '', /s3cret/);
      assert.match(failure.stack ?? '', /\n +at .+failures\.test/);
      assert.equal(failure.cause, undefined);
    }
  });

  it('shows the message that the API would answer', () => {
    assert.equal((toFailure(conflict('The job has ended')) as Error).message, 'The job has ended');
  });
});

describe('A step in chunks', () => {
  /** Runs the step as the SDK does. */
  function start(step: () => Promise<void>, heartbeat: (details: unknown) => void) {
    const cancellation = new AbortController();
    const { signal } = cancellation;
    const cancelled = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
    const context = { heartbeat, cancelled, cancellationSignal: signal } as unknown as Context;
    return {
      ended: asyncLocalStorage.run(context, step),
      cancel: () => cancellation.abort(new Error('CANCELLED')),
    };
  }

  it('shows after each chunk how many are done, and the cursor', async () => {
    const shown: unknown[] = [];
    const cursors: Array<string | null> = [];
    const step = inChunks(async (cursor, last: string) => {
      cursors.push(cursor);
      return cursor === null ? 'a' : cursor === 'a' ? last : null;
    });
    await start(
      () => step('b'),
      (details) => shown.push(details),
    ).ended;
    assert.deepEqual(cursors, [null, 'a', 'b']);
    assert.deepEqual(shown, [
      { chunksDone: 1, cursor: 'a' },
      { chunksDone: 2, cursor: 'b' },
      { chunksDone: 3, cursor: null },
    ]);
  });

  it('makes no further chunk once it is cancelled, and fails by its cancellation', async () => {
    let chunks = 0;
    let endChunk = (_: string) => {};
    const step = inChunks(() => {
      chunks++;
      return new Promise((resolve) => (endChunk = resolve));
    });
    const { ended, cancel } = start(step, () => {});
    cancel();
    await assert.rejects(ended, /CANCELLED/);
    endChunk('a');
    await new Promise(setImmediate);
    assert.equal(chunks, 1);
  });
});
