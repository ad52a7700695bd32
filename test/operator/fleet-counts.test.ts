import assert from 'node:assert/strict';
import { createFleetCounts } from '../../src/operator/fleet-counts.service.ts';

describe('Counts of a fleet', () => {
  /** Each count has one device more than the one before. */
  function countsOf(devices: number) {
    let calls = 0;
    let atMs = 0;
    const { countFleet, countContacts } = createFleetCounts({
      count: async () => [{ key: 'status:online', count: devices + calls++ }],
      countMembers: async () => [{ key: 'status:online', count: devices / 2 + calls++ }],
      countInContact: async () => calls++,
      now: () => new Date(atMs),
    });
    return {
      wait: (ms: number) => (atMs += ms),
      online: async (id = 'one', groupId?: string) => (await countFleet(id, groupId)).status.online,
      inContact: async () => (await countContacts('one')).inContact,
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

  it('keeps the counts of each group apart from those of the fleet', async () => {
    const fleet = countsOf(100_000);
    assert.equal(await fleet.online('one'), 100_000);
    assert.equal(await fleet.online('one', 'group'), 50_001);
    assert.equal(await fleet.online('one', 'other'), 50_002);
    assert.equal(await fleet.online('one', 'group'), 50_001);
  });

  it('counts a small fleet each time', async () => {
    const fleet = countsOf(100);
    assert.equal(await fleet.online(), 100);
    assert.equal(await fleet.online(), 101);
  });

  it('counts devices in contact once in ten seconds where the fleet is large, even if few are', async () => {
    const fleet = countsOf(100_000);
    const inContact = await fleet.inContact();
    fleet.wait(9_999);
    assert.equal(await fleet.inContact(), inContact);
    fleet.wait(1);
    assert.notEqual(await fleet.inContact(), inContact);
  });

  it('counts devices in contact of a small fleet each time', async () => {
    const fleet = countsOf(100);
    assert.notEqual(await fleet.inContact(), await fleet.inContact());
  });
});
