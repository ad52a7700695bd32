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
    for (const ms of [30, 7, 250, 900]) assert.equal(await pace(taking(ms)), ms);
    await pace(taking(0));
    assert.deepEqual(pauses, [60, 14, 500, 500]);
  });

  it('runs pieces one at a time, in turn', async () => {
    const pace = newPacer();
    const events: string[] = [];
    const piece = (name: string) => async () => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`${name} ends`);
      return name;
    };
    const names = ['a', 'b', 'c'];
    assert.deepEqual(await Promise.all(names.map((name) => pace(piece(name)))), names);
    assert.deepEqual(
      events,
      names.flatMap((name) => [`${name} begins`, `${name} ends`]),
    );
  });

  it('pauses after short pieces only once more than the burst is owed', async () => {
    const pace = newPacer(100);
    for (const ms of [20, 20, 20]) await pace(taking(ms));
    await pace(taking(0));
    // After 20, 20 and 20 ms of work 40, 60 and 80 ms are owed; elapsed time counts as rest.
    assert.deepEqual(pauses, []);
    await pace(taking(60));
    await pace(taking(0));
    assert.deepEqual(pauses, [40]);
  });

  it('continues after a piece that failed', async () => {
    const pace = newPacer();
    const failing = pace(() => Promise.reject(new Error('fault')));
    const next = pace(async () => 'done');
    await assert.rejects(failing, /fault/);
    assert.equal(await next, 'done');
  });
});
