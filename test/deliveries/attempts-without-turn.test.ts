import assert from 'node:assert/strict';
import { type AttemptsDeps, createAttempts } from '../../src/deliveries/attempts.service.ts';
import type { ClaimedDelivery } from '../../src/deliveries/claims.repository.ts';
import { createKeyedSemaphore, NoTurn } from '../../src/process/keyed-semaphore.ts';

const CLAIM = {
  organizationId: '0198c1a0-0000-7000-8000-000000000001',
  endpointId: '0198c1a0-0000-7000-8000-000000000002',
  id: '0198c1a0-0000-7000-8000-000000000003',
  secret: null,
  previousSecret: null,
} as ClaimedDelivery;

describe('A delivery whose request gets no turn', () => {
  it('releases its claim as it was, and counts no attempt', async () => {
    const done: unknown[] = [];
    const attempts = createAttempts({
      send: () => Promise.reject(new NoTurn('too long')),
      requests: createKeyedSemaphore({ perKeyMax: 1 }),
      release: async (claims: ClaimedDelivery[]) => void done.push(['released', claims]),
      recorder: { record: async () => void done.push('recorded') },
      observe: () => done.push('observed'),
      now: () => new Date(),
    } as unknown as AttemptsDeps);
    await assert.rejects(attempts.attempt(CLAIM), NoTurn);
    assert.deepEqual(done, [['released', [CLAIM]]]);
  });
});
