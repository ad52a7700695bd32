import assert from 'node:assert/strict';
import { createFleetCounts } from '../../src/operator/fleet-counts.service.ts';
import type { Session } from '../../src/operator/session.ts';

describe('Counts of a fleet', () => {
  const session = (organizationId: string) => ({ organizationId }) as Session;

  /** Each count has one device more than the one before. */
  function countsOf(devices: number) {
    let calls = 0;
    let atMs = 0;
    const count = createFleetCounts({
      ask: (async () => ({ status: { online: devices + calls++ } })) as never,
      now: () => new Date(atMs),
    });
    return {
      wait: (ms: number) => (atMs += ms),
      online: async (id = 'one') => (await count(session(id))).status.online,
    };
  }

  it('shows counts of a large fleet again for ten seconds, whichever way the clock goes', async () => {
    const fleet = countsOf(100_000);
    assert.equal(await fleet.online(), 100_000);
    fleet.wait(9_999);
    assert.equal(await fleet.online(), 100_000);
    fleet.wait(1);
    assert.equal(await fleet.online(), 100_001);
    fleet.wait(-60_000);
    assert.equal(await fleet.online(), 100_002);
  });

  it('keeps the counts of each organization apart', async () => {
    const fleet = countsOf(100_000);
    assert.equal(await fleet.online('one'), 100_000);
    assert.equal(await fleet.online('two'), 100_001);
  });

  it('counts a small fleet each time', async () => {
    const fleet = countsOf(100);
    assert.equal(await fleet.online(), 100);
    assert.equal(await fleet.online(), 101);
  });
});
