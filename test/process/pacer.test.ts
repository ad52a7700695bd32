import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { createPacer } from '../../src/process/pacer.ts';

describe('The pacer of long work', () => {
  it('runs pieces one at a time, in turn, and pauses twice as long as each took', async () => {
    const pace = createPacer();
    const spans: Array<{ name: number; from: number; to: number }> = [];
    const piece = (name: number) => async () => {
      const from = performance.now();
      await delay(30);
      spans.push({ name, from, to: performance.now() });
      return name;
    };
    assert.deepEqual(await Promise.all([1, 2, 3].map((name) => pace(piece(name)))), [1, 2, 3]);
    assert.deepEqual(
      spans.map(({ name }) => name),
      [1, 2, 3],
    );
    for (const [index, { from, to }] of spans.slice(0, -1).entries()) {
      const next = spans[index + 1]?.from ?? 0;
      assert.ok(next - to >= 1.9 * (to - from), `${next - to} ms after ${to - from} ms`);
    }
  });

  it('pauses after the first pieces only once more than the burst is owed', async () => {
    const pace = createPacer({ burstMs: 60_000 });
    const took: number[] = [];
    const spent = await spanOf(async () => {
      for (let piece = 0; piece < 5; piece++)
        await pace(async () => took.push(await spanOf(() => delay(20))));
    });
    const sum = took.reduce((total, ms) => total + ms, 0);
    assert.ok(spent < 2 * sum, `${spent} ms for ${sum} ms of work; with pauses it is three times as long`);
    const strict = createPacer({ burstMs: 30 });
    const spentMs = await spanOf(() => strict(() => delay(40)).then(() => strict(async () => {})));
    assert.ok(spentMs >= 40 + 2 * 39 - 30, `${spentMs} ms`);
  });

  it('goes on after a piece that failed', async () => {
    const pace = createPacer();
    const failing = pace(() => Promise.reject(new Error('fault')));
    const next = pace(async () => 'done');
    await assert.rejects(failing, /fault/);
    assert.equal(await next, 'done');
  });
});

async function spanOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
