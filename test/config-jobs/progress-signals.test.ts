/** When a job's workflow is signalled, and what the signal says. */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import fc from 'fast-check';
import { type Counts, NO_COUNTS } from '../../src/config-jobs/config-job.ts';
import {
  createProgressSignals,
  type ProgressSignals,
} from '../../src/config-jobs/progress-signals.service.ts';

const INTERVAL_MS = 1_000;
const ORGANIZATION = 'organization';
const JOB = 'job';

const counted = (some: Partial<Counts>): Counts => ({ ...NO_COUNTS, ...some });

describe('Progress signals of a job', () => {
  let jobs: Map<string, Counts>;
  let signals: Array<{ jobId: string; lines: string[] }>;
  let faults: unknown[];
  let countsAsked: number;
  let signal: (jobId: string, lines: string[]) => Promise<void>;
  let progress: ProgressSignals;

  /** Lets everything run that waits for no timer. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const pass = async (ms: number) => {
    mock.timers.tick(ms);
    await settled();
  };
  const recordApplied = (...serials: string[]) =>
    progress.recordOutcomes(
      serials.map((serialNumber) => ({
        organizationId: ORGANIZATION,
        jobId: JOB,
        serialNumber,
        event: 'applied',
      })),
    );

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    jobs = new Map([[JOB, counted({ waiting: 5 })]]);
    signals = [];
    faults = [];
    countsAsked = 0;
    signal = async (jobId, lines) => {
      signals.push({ jobId, lines });
    };
    progress = createProgressSignals({
      async count({ jobId }) {
        countsAsked++;
        const found = jobs.get(jobId);
        if (!found) throw new Error('the database is away');
        return found;
      },
      signal: ({ jobId }, lines) => signal(jobId, lines),
      intervalMs: INTERVAL_MS,
      onFault: (fault) => faults.push(fault),
    });
  });
  afterEach(() => mock.timers.reset());

  it('are sent at once and name each device', async () => {
    recordApplied('A', 'B');
    await settled();
    assert.deepEqual(signals, [{ jobId: JOB, lines: ['A applied', 'B applied'] }]);
  });

  it('are combined into one at the end of the interval after the first', async () => {
    recordApplied('A');
    await settled();
    recordApplied('B');
    recordApplied('C');
    await pass(INTERVAL_MS - 1);
    assert.equal(signals.length, 1);
    await pass(1);
    assert.deepEqual(signals.at(-1)?.lines, ['B applied', 'C applied']);
    assert.equal(signals.length, 2);
  });

  it('cost nothing while nothing changes, and are sent at once after a pause', async () => {
    recordApplied('A');
    await settled();
    await pass(10 * INTERVAL_MS);
    assert.equal(signals.length, 1);
    assert.equal(countsAsked, 1);
    recordApplied('B');
    await settled();
    assert.equal(signals.length, 2);
  });

  it('have no lines when only a change is known and not its device', async () => {
    progress.progressed(ORGANIZATION, [JOB]);
    await settled();
    assert.deepEqual(signals, [{ jobId: JOB, lines: [] }]);
  });

  it('of one job do not delay those of another', async () => {
    jobs.set('other', counted({ waiting: 1 }));
    recordApplied('A');
    progress.progressed(ORGANIZATION, ['other']);
    await settled();
    assert.deepEqual(signals.map(({ jobId }) => jobId).sort(), [JOB, 'other']);
  });

  it('name at most 50 devices each', async () => {
    recordApplied('first');
    await settled();
    recordApplied(...Array.from({ length: 80 }, (_, index) => `D${index}`));
    await pass(INTERVAL_MS);
    assert.equal(signals.at(-1)?.lines.length, 50);
  });

  it('of a large job name no device and are sent once per percent', async () => {
    jobs.set(JOB, counted({ waiting: 1_000 }));
    for (let applied = 1; applied <= 25; applied++) {
      jobs.set(JOB, counted({ waiting: 1_000 - applied, applied }));
      recordApplied(`D${applied}`);
      await pass(INTERVAL_MS);
    }
    assert.deepEqual(
      signals.map(({ lines }) => lines.length),
      [0, 0, 0],
    );
  });

  it('of a large job count its targets only when the recorded outcomes do not add up to a percent', async () => {
    jobs.set(JOB, counted({ waiting: 1_000 }));
    recordApplied('first');
    await pass(INTERVAL_MS);
    for (let step = 1; step <= 5; step++) {
      recordApplied(...Array.from({ length: 100 }, (_, index) => `D${step}-${index}`));
      await pass(INTERVAL_MS);
    }
    assert.equal(signals.length, 6);
    assert.equal(countsAsked, 1);
    jobs.set(JOB, counted({ applied: 1_000 }));
    recordApplied(...Array.from({ length: 500 }, (_, index) => `E${index}`));
    await pass(INTERVAL_MS);
    assert.equal(signals.length, 7);
    assert.equal(countsAsked, 2, 'only the rows show which outcome was the last');
  });

  it('of a large job distinguish one open target from none', async () => {
    for (const waiting of [1, 0]) {
      jobs.set(JOB, counted({ waiting, applied: 1_000 - waiting }));
      progress.progressed(ORGANIZATION, [JOB]);
      await pass(INTERVAL_MS);
    }
    assert.equal(signals.length, 2);
  });

  it('of a large job are at most 101, and always include its end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }), async (steps) => {
        signals = [];
        const total = 5_000;
        const jobId = String(Math.random());
        let open = total;
        let signalledOpen = total;
        signal = async (id) => {
          signals.push({ jobId: id, lines: [] });
          signalledOpen = open;
        };
        for (const step of [...steps, total]) {
          open = Math.max(0, open - step);
          jobs.set(jobId, counted({ waiting: open, applied: total - open }));
          progress.progressed(ORGANIZATION, [jobId]);
          await pass(INTERVAL_MS / 2);
        }
        await pass(INTERVAL_MS);
        assert.equal(signalledOpen, 0);
        assert.equal(signals.length <= 101, true);
      }),
      { numRuns: 50 },
    );
  });

  it('of a large job in stages are percents of the targets that have begun', async () => {
    jobs.set(JOB, counted({ applied: 100, queued: 900 }));
    progress.progressed(ORGANIZATION, [JOB]);
    await pass(INTERVAL_MS);
    jobs.set(JOB, counted({ applied: 100, waiting: 900 }));
    progress.progressed(ORGANIZATION, [JOB]);
    await pass(INTERVAL_MS);
    assert.equal(signals.length, 2);
  });

  it('report a fault and keep its lines for the next signal', async () => {
    const found = jobs.get(JOB) as Counts;
    jobs.delete(JOB);
    recordApplied('A');
    await settled();
    assert.match(String(faults[0]), /database is away/);
    jobs.set(JOB, found);
    recordApplied('B');
    await pass(INTERVAL_MS);
    assert.deepEqual(signals, [{ jobId: JOB, lines: ['A applied', 'B applied'] }]);
  });

  it('are all sent when a flush returns, also those that waited for the interval', async () => {
    let isSlow = false;
    signal = async (jobId, lines) => {
      await settled();
      isSlow = true;
      signals.push({ jobId, lines });
    };
    recordApplied('A');
    await settled();
    recordApplied('B');
    await progress.flush();
    assert.equal(isSlow, true);
    assert.deepEqual(
      signals.flatMap(({ lines }) => lines),
      ['A applied', 'B applied'],
    );
  });
});
