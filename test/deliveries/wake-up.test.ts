import assert from 'node:assert/strict';
import { createWakeUp } from '../../src/deliveries/dispatcher.service.ts';

const LONG_MS = 30_000;

describe('WakeUp', () => {
  it('ends a wait when woken, and after the timeout otherwise', async () => {
    const { wait, wakeUp } = createWakeUp();
    const waiting = wait(LONG_MS);
    wakeUp();
    await waiting;
    const startedAt = performance.now();
    await wait(20);
    assert.ok(performance.now() - startedAt >= 15);
  });

  it('ends the next wait at once when it was woken before, but not the one after it', async () => {
    const { wait, wakeUp } = createWakeUp();
    wakeUp();
    wakeUp();
    await wait(LONG_MS);
    const startedAt = performance.now();
    await wait(20);
    assert.ok(performance.now() - startedAt >= 15);
  });
});
