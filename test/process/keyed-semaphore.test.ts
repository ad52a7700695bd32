import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createKeyedSemaphore, NoTurn } from '../../src/process/keyed-semaphore.ts';

describe('KeyedSemaphore', () => {
  it('runs at most the limits per key and in total, in the order of each key, even after failures', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(1, 3, 100),
        async (keys, limit, totalMax) => {
          const semaphore = createKeyedSemaphore({ perKeyMax: limit, totalMax });
          const inside: Record<string, number> = { a: 0, b: 0, c: 0 };
          const order: Record<string, number[]> = { a: [], b: [], c: [] };
          await Promise.allSettled(
            keys.map((key, index) =>
              semaphore.run(key, async () => {
                inside[key] = (inside[key] as number) + 1;
                assert.ok((inside[key] as number) <= limit);
                assert.ok(Object.values(inside).reduce((sum, count) => sum + count) <= totalMax);
                order[key]?.push(index);
                await Promise.resolve();
                inside[key] = (inside[key] as number) - 1;
                if (index % 7 === 0) throw new Error('a failure releases the permit too');
              }),
            ),
          );
          for (const key of ['a', 'b', 'c']) {
            assert.deepEqual(
              order[key],
              keys.flatMap((each, index) => (each === key ? [index] : [])),
            );
          }
        },
      ),
    );
  });

  it('lets waiting keys take turns, however long the queue of one is', async () => {
    const semaphore = createKeyedSemaphore({ perKeyMax: 1, totalMax: 1 });
    const order: string[] = [];
    await Promise.all(
      ['a', 'a', 'a', 'a', 'b', 'c'].map((key) => semaphore.run(key, async () => void order.push(key))),
    );
    assert.deepEqual(order, ['a', 'b', 'c', 'a', 'a', 'a']);
  });

  it('gives up waiters without a turn in time, and serves those behind', async () => {
    const semaphore = createKeyedSemaphore({ perKeyMax: 1, waitMaxMs: 50 });
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const first = semaphore.run('a', () => gate);
    await assert.rejects(
      semaphore.run('a', async () => assert.fail('it ran')),
      NoTurn,
    );
    const behind = semaphore.run('a', async () => 'done');
    open();
    await first;
    assert.equal(await behind, 'done');
  });

  it('refuses work of a key at once where as much waits as may, and none of others', async () => {
    let refusals = 0;
    const onRefused = () => void refusals++;
    const semaphore = createKeyedSemaphore({ perKeyMax: 1, totalMax: 1, waitingMax: 2, onRefused });
    const order: string[] = [];
    const outcomes = await Promise.allSettled(
      ['a', 'a', 'a', 'a', 'b'].map((key) => semaphore.run(key, async () => void order.push(key))),
    );
    assert.deepEqual(order, ['a', 'b', 'a', 'a']);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.deepEqual([refused.length, refused[0]?.reason instanceof NoTurn, refusals], [1, true, 1]);
  });
});
