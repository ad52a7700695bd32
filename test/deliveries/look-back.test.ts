import assert from 'node:assert/strict';
import { createLookBack } from '../../src/deliveries/look-back.ts';

const at = (ms: number) => new Date(1_000_000 + ms);
const BEGINNING = new Date(0);

describe('A look for lost work', () => {
  let nowMs: number;
  let lookBack: ReturnType<typeof createLookBack>;
  const since = () => lookBack((from) => Promise.resolve(from));

  beforeEach(() => {
    nowMs = 0;
    lookBack = createLookBack(() => at(nowMs));
  });

  it('goes back to the beginning at first, and then to half a minute before the one before', async () => {
    assert.deepEqual(await since(), BEGINNING);
    nowMs = 1_000;
    assert.deepEqual(await since(), at(-30_000));
    nowMs = 600_000;
    assert.deepEqual(await since(), at(-29_000));
  });

  it('goes back to the beginning once in sixty times', async () => {
    const found = [];
    for (let count = 0; count < 121; count++) found.push(await since());
    const whole = found.flatMap((from, index) => (from.getTime() === 0 ? [index] : []));
    assert.deepEqual(whole, [0, 60, 120]);
  });

  it('makes up for those that failed', async () => {
    const fail = () => lookBack(() => Promise.reject(new Error('away')));
    await assert.rejects(fail);
    assert.deepEqual(await since(), BEGINNING);
    nowMs = 1_000;
    await assert.rejects(fail);
    nowMs = 3_600_000;
    assert.deepEqual(await since(), at(-30_000));
  });

  it('goes back further when the clock was set back', async () => {
    nowMs = 600_000;
    await since();
    nowMs = 0;
    assert.deepEqual(await since(), at(-30_000));
  });
});
