/** What any course shows, with everybody at once, where only what must hold in the end can be told (SYNC_SEED). */
import assert from 'node:assert/strict';
import { startService, type TestService } from '../support/service.ts';
import { clock } from './clock.ts';
import { Crowd } from './concurrent-actions.ts';
import { CROWD_PROFILES } from './profiles.ts';
import { randomFrom, seed } from './seed.ts';

describe('Everybody at once', function () {
  this.timeout(60_000);
  let dms: TestService;
  let crowd: Crowd;

  before(async () => {
    dms = await startService({ now: () => new Date(clock.ms) });
  });
  after(() => dms.stop());

  beforeEach(async () => {
    crowd = new Crowd(await dms.addOrganization());
    await crowd.gather(5);
  });

  const deadlocks = async () => {
    const { rows } = await dms.service.sql.raw(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    return rows[0].deadlocks;
  };

  it('contradicting profiles applied to the same devices leave one job waiting, for all of them the same', async () => {
    const { serials } = crowd;
    const random = randomFrom(seed);
    const slugs = ['every-hour', 'every-two-hours', 'every-day'];
    const jobIds = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const all = index % 4 === 0;
        return crowd.apply(
          slugs[index % 3] as string,
          all ? { applyToAll: true } : { serialNumbers: random.shuffled(serials) },
        );
      }),
    );
    await crowd.checkPeace();
    const waiting = new Set<string>();
    for (const jobId of jobIds) {
      const states = new Set((await crowd.targetsOf(jobId)).map(({ state }) => state));
      assert.equal(states.size, 1, 'a job wins everywhere or nowhere');
      if (states.has('waiting')) waiting.add(crowd.slugOf.get(jobId) as string);
    }
    assert.equal(waiting.size, 1, 'those that still wait want the same');
    const [winner = ''] = waiting;
    for (const serial of serials) {
      const { body } = await crowd.fleet.api.get(`/devices/${serial}/config`);
      assert.deepEqual(body.pendingConfig, crowd.changes.get(winner));
    }
    await crowd.end();
  });

  it(`applies, cancels, retries, new hardware, fetches and reports leave one outcome per device (seed ${seed})`, async () => {
    const random = randomFrom(seed);
    const slugs = Object.keys(CROWD_PROFILES);
    const before = await deadlocks();
    for (let round = 0; round < 6; round++) {
      clock.ms += 1_000;
      const jobIds = [...crowd.slugOf.keys()];
      const says = () => random.pick(['truth', 'truth', 'old', 'error', 'stale'] as const);
      const some = () => random.shuffled(crowd.serials).slice(0, 1 + random.below(5));
      const tasks = random.shuffled([
        // Serials that hardware may leave in this round are not among those named.
        ...Array.from({ length: 6 }, () => () => {
          const named = some().filter((serial) => serial !== crowd.serials[round % 5]);
          const body =
            named.length > 0 && random.below(3) > 0 ? { serialNumbers: named } : { applyToAll: true };
          return crowd.apply(random.pick(slugs), body);
        }),
        ...crowd.serials.flatMap((serial) =>
          [says(), says(), says()].map((how) => () => crowd.contact(serial, how)),
        ),
        ...(jobIds.length > 0
          ? [
              () => crowd.stop(random.pick(jobIds)),
              () => crowd.stop(random.pick(jobIds.slice(-6))),
              () => crowd.retry(random.pick(jobIds.slice(-12))),
              () => crowd.retry(random.pick(jobIds.slice(-12))),
            ]
          : []),
        ...(round % 2 === 1 ? [() => crowd.replace(round % 5)] : []),
      ]);
      await Promise.all(tasks.map((task) => task()));
      await crowd.checkPeace();
    }
    clock.ms += 1_000;
    await crowd.end();
    await crowd.checkPeace();
    assert.equal(await deadlocks(), before, 'locks are taken in one order');
  });
});
