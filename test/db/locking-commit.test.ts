/** How many items of one key may wait. The batches end when the test resolves them. */
import assert from 'node:assert/strict';
import { createLockingCommit } from '../../src/db/locking-commit.ts';

describe('A locking commit', () => {
  it('refuses items of a key beyond 100 unsettled ones, accepts others, and accepts its next one later', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const group = createLockingCommit<string, string>({
      commit: async (keys) => {
        await held;
        return keys;
      },
      laneOf: () => 'lane',
      keyOf: (key) => key,
      slots: { direct: 2, perLane: 1, waiting: 1, isMixed: true },
      maxItems: 10,
      overloaded: () => new Error('full'),
      locked: () => new Error('locked'),
    });
    const sent = Array.from({ length: 100 }, () => group.submit('busy'));
    await assert.rejects(group.submit('busy'), /full/);
    sent.push(group.submit('other'));
    release();
    assert.deepEqual(await Promise.all(sent), [...Array(100).fill('busy'), 'other']);
    assert.equal(await group.submit('busy'), 'busy');
  });
});
