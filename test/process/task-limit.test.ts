/** Background tasks, a few at a time. */
import assert from 'node:assert/strict';
import { createTaskLimit } from '../../src/process/task-limit.ts';

describe('A limit of tasks', () => {
  /** Tasks end when the test resolves them. */
  function tasks() {
    const ends: Array<() => void> = [];
    return {
      ends,
      task: () => new Promise<void>((resolve) => void ends.push(resolve)),
    };
  }
  const fail = (error: unknown) => assert.fail(String(error));

  it('starts tasks up to the limit, and the next one when one has ended', async () => {
    const { ends, task } = tasks();
    const limit = createTaskLimit({ atOnceMax: 2, waitingMax: 10 });
    for (let count = 0; count < 5; count++) limit.run('one', task, fail);
    assert.equal(ends.length, 2);
    ends[0]?.();
    await new Promise(setImmediate);
    assert.equal(ends.length, 3);
  });

  it('drops tasks beyond the limit of waiting ones, and waiting ones at the end', async () => {
    const { ends, task } = tasks();
    const limit = createTaskLimit({ atOnceMax: 1, waitingMax: 2 });
    for (let count = 0; count < 9; count++) limit.run('one', task, fail);
    ends[0]?.();
    await new Promise(setImmediate);
    const flushed = limit.flush();
    ends[1]?.();
    await flushed;
    assert.equal(ends.length, 2);
  });

  it('gives each owner its turn, and bounds the queue of each separately', async () => {
    const started: string[] = [];
    const limit = createTaskLimit({ atOnceMax: 1, waitingMax: 3 });
    const add = (owner: string) => limit.run(owner, async () => void started.push(owner), fail);
    for (const owner of ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'b', 'c']) add(owner);
    for (let count = 0; count < 9; count++) await new Promise(setImmediate);
    assert.deepEqual(started, ['a', 'a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('reports the fault of a task, and continues', async () => {
    const faults: unknown[] = [];
    const limit = createTaskLimit({ atOnceMax: 1, waitingMax: 10 });
    limit.run(
      'one',
      () => Promise.reject('gone'),
      (error) => void faults.push(error),
    );
    let isDone = false;
    limit.run(
      'one',
      async () => {
        isDone = true;
      },
      fail,
    );
    await new Promise(setImmediate);
    assert.deepEqual([faults, isDone], [['gone'], true]);
  });
});
