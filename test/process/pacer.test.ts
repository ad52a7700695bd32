import assert from 'node:assert/strict';
import { createPacer } from '../../src/process/pacer.ts';

describe('The pacer of long work', () => {
  let nowMs: number;
  let pauses: number[];

  beforeEach(() => {
    nowMs = 1_000;
    pauses = [];
  });

  const newPacer = (burstMs = 0) =>
    createPacer({
      burstMs,
      now: () => nowMs,
      pause: async (ms) => {
        pauses.push(ms);
        await new Promise((resolve) => setImmediate(resolve));
        nowMs += ms;
      },
    });
  /** A piece that takes this long. */
  const taking = (ms: number) => async () => {
    nowMs += ms;
    return ms;
  };

  it('pauses twice as long as each piece took, and half a second at most', async () => {
    const pace = newPacer();
    for (const ms of [30, 7, 250, 900]) assert.equal(await pace('a', taking(ms)), ms);
    await pace('a', taking(0));
    assert.deepEqual(pauses, [60, 14, 500, 500]);
  });

  it('runs pieces one at a time, each after the pause of the one before, and lets organizations take turns', async () => {
    const pace = newPacer();
    const begun: Array<[string, number]> = [];
    const piece = (name: string) => async () => {
      begun.push([name, nowMs]);
      await new Promise((resolve) => setImmediate(resolve));
      nowMs += 10;
      return name;
    };
    const names = ['a1', 'a2', 'a3', 'b1'];
    assert.deepEqual(await Promise.all(names.map((name) => pace(name.charAt(0), piece(name)))), names);
    assert.deepEqual(begun, [
      ['a1', 1_000],
      ['b1', 1_030],
      ['a2', 1_060],
      ['a3', 1_090],
    ]);
  });

  it('pauses after short pieces only once more than the burst is owed', async () => {
    const pace = newPacer(100);
    for (const ms of [20, 20, 20]) await pace('a', taking(ms));
    await pace('a', taking(0));
    // After 20, 20 and 20 ms of work 40, 60 and 80 ms are owed; elapsed time counts as rest.
    assert.deepEqual(pauses, []);
    await pace('a', taking(60));
    await pace('a', taking(0));
    assert.deepEqual(pauses, [40]);
  });

  it('continues after a piece that failed', async () => {
    const pace = newPacer();
    const failing = pace('a', () => Promise.reject(new Error('fault')));
    const next = pace('a', async () => 'done');
    await assert.rejects(failing, /fault/);
    assert.equal(await next, 'done');
  });
});
