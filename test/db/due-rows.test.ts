import assert from 'node:assert/strict';
import { inHalves } from '../../src/db/due-rows.ts';

const STATEMENT_TIMEOUT = '57014';
const CONNECTION_FAILURE = '08006';
const UNDEFINED_COLUMN = '42703';
/** Without the name of a constraint, it stands for a missing partition. */
const CHECK_VIOLATION = '23514';

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

  for (const [fault, code] of Object.entries({
    'the database is away': CONNECTION_FAILURE,
    'a column is missing': UNDEFINED_COLUMN,
    'a partition is missing': CHECK_VIOLATION,
  }))
    it(`sets none aside while ${fault}`, async () => {
      await assert.rejects(processWithFault(code));
      assert.deepEqual({ setAside, processed }, { setAside: [], processed: [] });
    });
});
