import assert from 'node:assert/strict';
import { createSharedReads } from '../../src/process/shared-reads.ts';

describe('Shared reads', () => {
  /** Reads that end when they are told to, in the order of their beginning. */
  function openReads() {
    const begun: Array<{ key: string; end(value: number): void; fail(error: Error): void }> = [];
    const read = createSharedReads<number>(
      (key) => new Promise((end, fail) => void begun.push({ key, end, fail })),
    );
    return { begun, read };
  }
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  it('begins at once where none is under way, and again for a caller that comes after the end', async () => {
    const { begun, read } = openReads();
    const first = read('a');
    begun[0]?.end(1);
    assert.equal(await first, 1);
    const second = read('a');
    begun[1]?.end(2);
    assert.equal(await second, 2);
  });

  it('answers all callers that come meanwhile by one read, which begins after they came', async () => {
    const { begun, read } = openReads();
    const first = read('a');
    const others = [read('a'), read('a'), read('a')];
    await nextTurn();
    assert.equal(begun.length, 1);
    begun[0]?.end(1);
    assert.equal(await first, 1);
    await nextTurn();
    assert.equal(begun.length, 2);
    begun[1]?.end(2);
    assert.deepEqual(await Promise.all(others), [2, 2, 2]);
  });

  it('holds up no other key, and goes on after a failure', async () => {
    const { begun, read } = openReads();
    const failed = assert.rejects(read('a'), /away/);
    const next = read('a');
    const other = read('b');
    assert.deepEqual(
      begun.map(({ key }) => key),
      ['a', 'b'],
    );
    begun[0]?.fail(new Error('away'));
    await failed;
    await nextTurn();
    begun[1]?.end(1);
    begun[2]?.end(2);
    assert.deepEqual(await Promise.all([next, other]), [2, 1]);
  });
});
