/** Whom we could hear, and since when: the rule alone. */
import assert from 'node:assert/strict';
import { type Listener, listeningSince } from '../../src/alerts/listening.ts';

const NOW = new Date('2026-03-02T12:00:00Z');
const GAP_MS = 60_000;
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const listener = (name: string, since: number, seen: number): Listener => ({
  name,
  since: minutesAgo(since),
  seenAt: minutesAgo(seen),
});
const since = (...listeners: Listener[]) => listeningSince(listeners, NOW, GAP_MS);

describe('Devices can be heard', () => {
  it('since the last way in was opened', () => {
    assert.deepEqual(since(listener('api', 600, 0), listener('gateway', 30, 0.2)), minutesAgo(30));
  });

  it('since now while a way in is shut', () => {
    assert.deepEqual(since(listener('api', 600, 0), listener('gateway', 600, 5)), NOW);
  });

  it('without regard to a way in that has been shut for more than an hour', () => {
    assert.deepEqual(since(listener('api', 600, 0), listener('gateway', 700, 61)), minutesAgo(600));
  });

  it('since ever when nothing else is known', () => {
    assert.deepEqual(since(), new Date(0));
  });
});
