/**
 * A small fleet through HTTP, on the real service with its workflows, against a model of contract.md sections 3, 4
 * and 10: whatever the order of what customers and devices do, each device and each job shows what the rules say.
 *
 * SYNC_SEED and SYNC_RUNS repeat a course, or run more of them.
 */
import fc from 'fast-check';
import { startService, type TestService } from '../support/service.ts';
import { clock } from './clock.ts';
import { courses, type Op } from './operations.ts';
import { World } from './scenario.ts';
import { seed } from './seed.ts';

const numRuns = Number(process.env.SYNC_RUNS ?? 4);

const inWords = (op: Op) => JSON.stringify(op, (key, value) => (key === '__proto__' ? undefined : value));

describe('Devices and jobs through HTTP', function () {
  this.timeout(60_000 + 20_000 * numRuns);
  let dms: TestService;

  before(async () => {
    dms = await startService({ now: () => new Date(clock.ms) });
  });
  after(() => dms.stop());

  it(`show what the rules say after every step of any course (seed ${seed}, ${numRuns} courses)`, async () => {
    await fc.assert(
      fc.asyncProperty(courses, async (course) => {
        const world = await World.create(dms);
        for (const [index, op] of course.entries()) {
          await world.play(op).catch((error: Error) => {
            error.message += `\nafter: ${course
              .slice(0, index + 1)
              .map(inWords)
              .join('\n')}`;
            throw error;
          });
        }
        await world.end();
      }),
      { seed, numRuns, endOnFailure: process.env.SYNC_SHRINK === undefined },
    );
  });
});
