import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { startPeriodic } from '../../src/process/periodic.ts';

const INTERVAL_MS = 100;

describe('Periodic work', () => {
  /** The waits after rounds that take so long, each by the clock of the test. */
  async function waitsAfter(
    roundsMs: readonly number[],
    options: { maxShare?: number; work?: () => Promise<void> } = {},
  ): Promise<number[]> {
    const { work = async () => {}, ...share } = options;
    const rounds = roundsMs.values();
    const waits: number[] = [];
    let nowMs = 1_000;
    const lastRound = new EventEmitter();
    const isDone = once(lastRound, 'over');
    const periodic = startPeriodic(
      INTERVAL_MS,
      () => {
        nowMs += rounds.next().value ?? 0;
        return work();
      },
      () => {},
      {
        ...share,
        now: () => nowMs,
        async pause(ms, signal) {
          waits.push(ms);
          nowMs += ms;
          if (waits.length < roundsMs.length) return;
          lastRound.emit('over');
          await once(signal, 'abort');
        },
      },
    );
    await isDone;
    await periodic.stop();
    return waits;
  }

  it('makes the next round rarer after a slow one alone, so that rounds take at most their share', async () => {
    assert.deepEqual(await waitsAfter([10, 400, 50, 10], { maxShare: 0.25 }), [100, 1_200, 150, 100]);
  });

  it('puts off the next round by ten seconds at most, however long one took', async () => {
    assert.deepEqual(await waitsAfter([10, 30_000, 10], { maxShare: 0.05 }), [100, 10_000, 190]);
  });

  it('waits for the interval after the first round, which the start of the process slows down', async () => {
    assert.deepEqual(await waitsAfter([30_000, 10], { maxShare: 0.05 }), [100, 190]);
  });

  it('waits for the interval after rounds of any length where no share is set', async () => {
    assert.deepEqual(await waitsAfter([10, 400]), [100, 100]);
  });

  it('repeats after a fault, and counts the time that the failed round took', async () => {
    const work = () => Promise.reject(new Error('broken'));
    assert.deepEqual(await waitsAfter([10, 400, 10], { maxShare: 0.5, work }), [100, 400, 100]);
  });
});
