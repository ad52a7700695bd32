/** What a probe of a process costs. */
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { createReadiness } from '../../src/http/health.ts';

describe('The readiness of a process', () => {
  it('runs its checks once for all that ask meanwhile', async () => {
    let [runs, running, most] = [0, 0, 0];
    async function database() {
      runs++;
      most = Math.max(most, ++running);
      await setImmediate();
      running--;
      return { state: 'ok', message: 'answers' } as const;
    }
    const read = createReadiness({ checks: { database }, phase: () => 'up', timeZoneRules: null });
    const answers = await Promise.all(Array.from({ length: 50 }, () => read()));
    assert.deepEqual([runs, most], [1, 1]);
    assert.ok(answers.every(({ httpStatus, body }) => httpStatus === 200 && body.dependencies.database));
  });
});
