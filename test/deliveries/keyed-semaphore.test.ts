import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createKeyedSemaphore } from '../../src/deliveries/keyed-semaphore.ts';

describe('KeyedSemaphore', () => {
  it('runs at most the limit of each key at a time, in order, after failures too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        async (keys, limit) => {
          const semaphore = createKeyedSemaphore(limit);
          const inside: Record<string, number> = { a: 0, b: 0, c: 0 };
          const order: Record<string, number[]> = { a: [], b: [], c: [] };
          await Promise.allSettled(
            keys.map((key, index) =>
              semaphore.run(key, async () => {
                inside[key] = (inside[key] as number) + 1;
                assert.ok((inside[key] as number) <= limit);
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
});
