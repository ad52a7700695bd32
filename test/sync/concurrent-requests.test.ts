/**
 * Sections 4 and 5 of the contract under concurrency: the order of requests is unknown, so the tests check
 * only invariants afterwards. SYNC_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { useService } from '../support/service.ts';
import { createClock } from './clock.ts';
import { ConcurrentFleet } from './concurrent-actions.ts';
import { CONCURRENT_PROFILES } from './profiles.ts';
import { randomFrom, seed } from './seed.ts';

/** Hardware is replaced in the second round; jobs are cancelled and retried from then on. */
const ROUNDS = 3;

describe('Concurrent requests', () => {
  const clock = createClock();
  let fleet: ConcurrentFleet;

  const dms = useService({ now: clock.now });

  beforeEach(async () => {
    fleet = new ConcurrentFleet(await dms.addOrganization(), clock);
    await fleet.register(5);
  });

  const deadlocks = async () => {
    const { rows } = await dms.service.sql.raw(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    return rows[0].deadlocks;
  };

  it('leaves one of many conflicting applies pending on all of their devices', async () => {
    const { serials } = fleet;
    const random = randomFrom(seed);
    const slugs = ['every-hour', 'every-two-hours', 'every-day'];
    const jobIds = await Promise.all(
      Array.from({ length: 9 }, (_, index) => {
        const all = index % 4 === 0;
        return fleet.apply(
          slugs[index % 3] as string,
          all ? { applyToAll: true } : { serialNumbers: random.shuffled(serials) },
        );
      }),
    );
    await fleet.checkConsistency();
    const waiting = new Set<string>();
    for (const jobId of jobIds) {
      const states = new Set((await fleet.targetsOf(jobId)).map(({ state }) => state));
      assert.equal(states.size, 1, 'a job wins everywhere or nowhere');
      if (states.has('waiting')) waiting.add(fleet.slugOf.get(jobId) as string);
    }
    assert.equal(waiting.size, 1, 'targets that still wait have the same change');
    const [winner = ''] = waiting;
    for (const serial of serials) {
      const { body } = await fleet.fleet.api.get(`/devices/${serial}/config`);
      assert.deepEqual(body.pendingConfig, fleet.changes.get(winner));
    }
    await fleet.end();
  });

  it(`leaves one consistent state per device and job after requests of all kinds, without a deadlock (seed ${seed})`, async () => {
    const random = randomFrom(seed);
    const slugs = Object.keys(CONCURRENT_PROFILES);
    const before = await deadlocks();
    for (let round = 0; round < ROUNDS; round++) {
      clock.ms += 1_000;
      const jobIds = [...fleet.slugOf.keys()];
      const anyReport = () => random.pick(['applied', 'applied', 'old', 'error', 'stale'] as const);
      const some = () => random.shuffled(fleet.serials).slice(0, 1 + random.below(5));
      const tasks = random.shuffled([
        // Excludes a serial whose hardware may be replaced in this round.
        ...Array.from({ length: 4 }, () => () => {
          const named = some().filter((serial) => serial !== fleet.serials[round % 5]);
          const body =
            named.length > 0 && random.below(3) > 0 ? { serialNumbers: named } : { applyToAll: true };
          return fleet.apply(random.pick(slugs), body);
        }),
        ...fleet.serials.flatMap((serial) =>
          [anyReport(), anyReport()].map((how) => () => fleet.exchange(serial, how)),
        ),
        ...(jobIds.length > 0
          ? [
              () => fleet.cancel(random.pick(jobIds)),
              () => fleet.cancel(random.pick(jobIds.slice(-6))),
              () => fleet.retry(random.pick(jobIds.slice(-12))),
              () => fleet.retry(random.pick(jobIds.slice(-12))),
            ]
          : []),
        ...(round % 2 === 1 ? [() => fleet.replace(round % 5)] : []),
      ]);
      await Promise.all(tasks.map((task) => task()));
      await fleet.checkConsistency();
    }
    clock.ms += 1_000;
    await fleet.end();
    await fleet.checkConsistency();
    assert.equal(await deadlocks(), before, 'locks are taken in one order');
  });
});
