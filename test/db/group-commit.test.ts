/** Which items share a batch, and when it starts. The commits end when the test resolves them. */
import assert from 'node:assert/strict';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { createGroupCommit, type GroupCommitOptions } from '../../src/db/group-commit.ts';
import { eventually } from '../support/fleet.ts';

interface Item {
  lane: string;
  kind?: string;
  key?: string;
  number: number;
}

/** A group commit whose batches wait until they are ended. */
function createStage(options: Partial<GroupCommitOptions<Item, number>> = {}) {
  const batches: Array<{ items: Item[]; end(): void; isOver: boolean }> = [];
  const group = createGroupCommit<Item, number>({
    commit: (items) =>
      new Promise((resolve) => {
        const batch = {
          items,
          isOver: false,
          end() {
            batch.isOver = true;
            resolve(items.map(({ number }) => number));
          },
        };
        batches.push(batch);
      }),
    maxItems: 100,
    concurrency: 3,
    lanes: { laneOf: ({ lane }) => lane, concurrency: 2 },
    overloaded: () => new Error('full'),
    ...options,
  });
  return {
    group,
    batches,
    submit: (lane: string, ...numbers: number[]) =>
      numbers.map((number) => group.submit({ lane, number, key: `${lane} ${number}` })),
    numbers: () => batches.map(({ items }) => items.map(({ number }) => number)),
    async end(index: number): Promise<void> {
      batches[index]?.end();
      await turns();
    },
  };
}

/** Submits the numbers from 1 to 8 at once; the statement of a batch that is slow times out. */
async function submitEight(isSlow: (items: number[]) => boolean) {
  const tried: number[][] = [];
  const group = createGroupCommit<number, number>({
    maxItems: 100,
    concurrency: 1,
    async commit(items) {
      tried.push(items);
      if (isSlow(items)) throw Object.assign(new Error('too slow'), { code: STATEMENT_TIMEOUT });
      return items;
    },
  });
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
  const settled = await Promise.allSettled(numbers.map((number) => group.submit(number)));
  return { tried, refused: numbers.filter((_, index) => settled[index]?.status === 'rejected') };
}

async function turns(): Promise<void> {
  for (let count = 0; count < 3; count++) await turn();
}

const LONG_MS = 3_600_000;
const STATEMENT_TIMEOUT = '57014';

describe('A group commit', () => {
  it('reports the number of waiting items, and the size and longest wait of each batch', async () => {
    let countWaiting = () => Number.NaN;
    const seen: Array<{ items: number; longestWaitMs: number }> = [];
    const { submit, end } = createStage({
      concurrency: 1,
      observer: {
        observeQueue(count) {
          countWaiting = count;
        },
        observeBatch: (batch) => void seen.push(batch),
      },
    });
    submit('a', 1);
    await turns();
    submit('b', 2, 3);
    await delay(20);
    submit('b', 4);
    assert.equal(countWaiting(), 3);
    await end(0);
    assert.equal(countWaiting(), 0);
    assert.deepEqual(
      seen.map(({ items }) => items),
      [1, 3],
    );
    assert.ok((seen[1]?.longestWaitMs ?? 0) >= 19, JSON.stringify(seen));
  });

  it('starts with a lone item at once, however long items may gather', async () => {
    const { submit, numbers } = createStage({ gather: { enough: 10, ms: LONG_MS } });
    submit('a', 1);
    await turns();
    assert.deepEqual(numbers(), [[1]]);
  });

  it('gathers items only while a batch of their lane is under way', async () => {
    const { submit, numbers, end } = createStage({ gather: { enough: 3, ms: LONG_MS } });
    submit('a', 1);
    await turns();
    submit('a', 2, 3);
    submit('b', 4);
    await turns();
    assert.deepEqual(numbers(), [[1], [4]]);
    await end(0);
    assert.deepEqual(numbers(), [[1], [4], [2, 3]]);
  });

  it('starts another batch of a busy lane when enough items wait, or the first has waited long enough', async () => {
    const many = createStage({ gather: { enough: 2, ms: LONG_MS } });
    const late = createStage({ gather: { enough: 10, ms: 1 } });
    for (const { submit } of [many, late]) submit('a', 1);
    await turns();
    many.submit('a', 2, 3);
    late.submit('a', 2);
    await turns();
    assert.deepEqual(many.numbers(), [[1], [2, 3]]);
    await eventually(
      async () => late.numbers().length,
      (batches) => batches === 2,
      { pauseMs: 1 },
    );
    assert.deepEqual(late.numbers(), [[1], [2]]);
  });

  it('puts items of different lanes into different batches', async () => {
    const { submit, numbers } = createStage();
    submit('a', 1, 2);
    submit('b', 3);
    submit('a', 4);
    await turns();
    assert.deepEqual(numbers(), [[1, 2, 4], [3]]);
  });

  it('takes the same share of each lane if lanes share batches', async () => {
    const lanes = { laneOf: ({ lane }: Item) => lane, concurrency: 2, isMixed: true };
    const { submit, numbers, end } = createStage({ lanes, maxItems: 4, concurrency: 1 });
    submit('z', 0);
    await turns();
    submit('a', 1, 2, 3, 4, 5, 6, 7);
    submit('b', 8);
    submit('c', 9, 10);
    await end(0);
    await end(1);
    await end(2);
    assert.deepEqual(numbers(), [[0], [1, 2, 8, 9], [3, 4, 10], [5, 6, 7]]);
  });

  it('gathers lanes that share batches while any batch is under way, and takes all waiting items when the first is due', async () => {
    const lanes = { laneOf: ({ lane }: Item) => lane, concurrency: 2, isMixed: true };
    const { submit, numbers } = createStage({ lanes, gather: { enough: 3, ms: LONG_MS } });
    submit('a', 1);
    await turns();
    submit('b', 2);
    submit('c', 3);
    await turns();
    assert.deepEqual(numbers(), [[1]]);
    submit('d', 4);
    await turns();
    assert.deepEqual(numbers(), [[1], [2, 3, 4]]);
  });

  it('never gives all batches to one lane, and lets waiting lanes take turns', async () => {
    const { submit, numbers, end } = createStage({ maxItems: 1 });
    submit('a', 1, 2, 3, 4, 5);
    await turns();
    assert.deepEqual(numbers(), [[1], [2]]);
    submit('b', 6, 7);
    submit('c', 8);
    await turns();
    await end(0);
    await end(1);
    await end(2);
    assert.deepEqual(numbers(), [[1], [2], [6], [3], [8], [7]]);
  });

  it('refuses items of a lane that is full, and accepts others', async () => {
    const { submit } = createStage({ maxWaiting: { perLane: 2, inAll: 100 } });
    const settled = await Promise.allSettled(submit('a', 1, 2, 3).slice(2));
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected'],
    );
    assert.equal(await Promise.race([...submit('b', 4), turns().then(() => 'accepted')]), 'accepted');
  });

  it('accepts items only of lanes below their share when full as a whole', async () => {
    const { submit } = createStage({ concurrency: 0, maxWaiting: { perLane: 100, inAll: 4 } });
    submit('a', 1, 2, 3);
    submit('b', 4);
    await assert.rejects(submit('a', 5)[0] as Promise<number>, /full/);
    assert.equal(await Promise.race([...submit('b', 6), turns().then(() => 'accepted')]), 'accepted');
  });

  it('spaces batches by the interval, and starts the first at once', async () => {
    const { submit, numbers, end } = createStage({ intervalMs: 30 });
    // Taken before the first batch: even if the test is slow, the second starts no sooner after this.
    const startedAt = performance.now();
    submit('a', 1);
    await turns();
    assert.deepEqual(numbers(), [[1]]);
    await end(0);
    submit('a', 2);
    while (numbers().length === 1) await turn();
    assert.ok(performance.now() - startedAt >= 25);
  });

  it('puts items of different kinds into different batches', async () => {
    const { group, numbers, end } = createStage({
      concurrency: 1,
      kindOf: ({ kind = '' }) => kind,
      lanes: { laneOf: ({ lane }) => lane, concurrency: 1, isMixed: true },
    });
    const kinds = ['x', 'x', 'y', 'x', 'y'];
    for (const [number, kind] of kinds.entries())
      void group.submit({ lane: number < 4 ? 'a' : 'b', kind, number });
    for (const index of [0, 1]) {
      await turns();
      await end(index);
    }
    assert.deepEqual(numbers(), [
      [0, 1, 3],
      [4, 2],
    ]);
  });

  it('refuses alone an item whose statement takes too long, after most others are committed', async () => {
    const { tried, refused } = await submitEight((items) => items.includes(3));
    const [whole, ...parts] = tried;
    assert.equal(whole?.length, 8);
    assert.deepEqual(parts, [[1], [2], [3], [4], [5], [6], [7], [8]]);
    assert.deepEqual(refused, [3]);
  });

  it('refuses all items after a batch and two of them in a row have taken too long', async () => {
    const { tried, refused } = await submitEight(() => true);
    assert.deepEqual([tried.length, refused.length], [3, 8]);
  });

  it('commits items of a key one by one in their order, and keeps all bounds, whatever happens', async () => {
    const items = fc.array(fc.tuple(fc.nat(3), fc.nat(2), fc.nat(1)), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(items, fc.boolean(), fc.infiniteStream(fc.nat(5)), async (drawn, isMixed, choices) => {
        const stage = createStage({
          maxItems: 4,
          keyOf: ({ lane, key }) => `${lane} ${key}`,
          kindOf: ({ kind = '' }) => kind,
          gather: { enough: 2, ms: 0 },
          lanes: { laneOf: ({ lane }) => lane, concurrency: 2, isMixed },
        });
        const committed: Item[] = [];
        const submitted = drawn.map(([lane, key, kind], number) => ({
          lane: `${lane}`,
          key: `${key}`,
          kind: `${kind}`,
          number,
        }));
        const results: Array<Promise<number>> = [];
        for (const item of submitted) {
          results.push(stage.group.submit(item));
          if (choices.next().value === 0) await turn();
          if (choices.next().value === 0) await endOne();
        }
        while (committed.length < submitted.length) await endOne();
        assert.deepEqual(await Promise.all(results), [...submitted.keys()]);
        for (const { lane, key } of submitted) {
          const numbers = committed.filter((item) => item.lane === lane && item.key === key);
          assert.deepEqual(
            numbers,
            numbers.toSorted((a, b) => a.number - b.number),
          );
        }

        async function endOne(): Promise<void> {
          await turns();
          const underWay = stage.batches.filter(({ isOver }) => !isOver);
          assertBounds(
            underWay.map(({ items }) => items),
            isMixed,
          );
          const chosen = underWay[(choices.next().value as number) % Math.max(underWay.length, 1)];
          committed.push(...(chosen?.items ?? []));
          chosen?.end();
          await turns();
        }
      }),
      { numRuns: 60 },
    );
  });
});

function assertBounds(underWay: Item[][], isMixed: boolean): void {
  assert.ok(underWay.length <= 3);
  const keys = underWay.flatMap((items) => items.map(({ lane, key }) => `${lane} ${key}`));
  assert.equal(new Set(keys).size, keys.length, 'a key is under way twice');
  for (const items of underWay) {
    assert.ok(items.length <= 4);
    assert.equal(new Set(items.map(({ kind }) => kind)).size, 1);
    if (!isMixed) assert.equal(new Set(items.map(({ lane }) => lane)).size, 1);
  }
  for (const { lane } of underWay.flat())
    assert.ok(underWay.filter((items) => items.some((item) => item.lane === lane)).length <= 2);
}
