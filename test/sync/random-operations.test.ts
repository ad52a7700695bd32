/**
 * Sections 4 and 5 of the contract: random operations on a small fleet over HTTP, on the real service with
 * its workflows, compared with the reference model. One run includes each kind of operation;
 * test/devices/device-sync-model.test.ts compares the rules of a device with the model in many runs.
 * SYNC_SEED repeats a run, SYNC_RUNS sets their number.
 */
import fc from 'fast-check';
import { useService } from '../support/service.ts';
import { createClock } from './clock.ts';
import { type Op, operations } from './operations.ts';
import { FleetScenario } from './scenario.ts';
import { seed } from './seed.ts';

const numRuns = Number(process.env.SYNC_RUNS ?? 1);

const toText = (op: Op) => JSON.stringify(op, (key, value) => (key === '__proto__' ? undefined : value));

describe('A random sequence of operations of customers and devices', function () {
  this.timeout(180_000 + 20_000 * numRuns);
  const clock = createClock();

  const dms = useService({ now: clock.now });

  it(`shows every device and job as the reference model does, after each operation (seed ${seed}, ${numRuns} runs)`, async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (ops) => {
        const scenario = await FleetScenario.create(dms, clock);
        for (const [index, op] of ops.entries()) {
          await scenario.play(op).catch((error: Error) => {
            error.message += `\nafter: ${ops
              .slice(0, index + 1)
              .map(toText)
              .join('\n')}`;
            throw error;
          });
        }
        await scenario.end();
      }),
      { seed, numRuns, endOnFailure: process.env.SYNC_SHRINK === undefined },
    );
  });
});
