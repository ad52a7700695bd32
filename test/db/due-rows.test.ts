import assert from 'node:assert/strict';
import { inHalves } from '../../src/db/due-rows.ts';

const STATEMENT_TIMEOUT = '57014';
const CONNECTION_FAILURE = '08006';

describe('Items that are processed together', () => {
  const setAside: number[] = [];
  const processed: number[] = [];
  beforeEach(() => {
    setAside.length = 0;
    processed.length = 0;
  });

  const processWithFault = (code: string) =>
    inHalves(
      [1, 2, 3, 4, 5],
      async (items) => {
        if (items.includes(3)) throw Object.assign(new Error('no'), { code });
        processed.push(...items);
      },
      async (item) => void setAside.push(item),
    );

  it('sets aside the one whose statement takes too long', async () => {
    await processWithFault(STATEMENT_TIMEOUT);
    assert.deepEqual({ setAside, processed }, { setAside: [3], processed: [1, 2, 4, 5] });
  });

  it('sets none aside while the database is away', async () => {
    await assert.rejects(processWithFault(CONNECTION_FAILURE));
    assert.deepEqual({ setAside, processed }, { setAside: [], processed: [] });
  });
});
