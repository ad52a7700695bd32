import assert from 'node:assert/strict';
import { createKeyedSemaphore, inTurns } from '../../src/process/keyed-semaphore.ts';

const POOL = 4;

describe('Chunks of certificates', () => {
  it('reads chunks of one organization while 64 downloads of another wait for the connections', async () => {
    let reading = 0;
    const pool = {
      findChunk: (organizationId: string, _contentId: string, _position: number) => {
        reading++;
        return organizationId === 'A' ? new Promise<Buffer>(() => {}) : Promise.resolve(Buffer.from('%PDF-'));
      },
    };
    const turns = createKeyedSemaphore({ perKeyMax: POOL - 1, totalMax: POOL });
    const { findChunk } = inTurns(pool, turns, 'findChunk');
    for (let download = 0; download < 64; download++) void findChunk('A', 'content', 0);
    assert.equal(String(await findChunk('B', 'content', 0)), '%PDF-');
    assert.equal(reading, POOL, 'no more than there are connections');
  });
});
