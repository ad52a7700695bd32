/** When the workflow of a job is signalled, and with which lines. */
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

  /** Runs everything that waits for no timer. */
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

  it('sends the first signal at once, with a line for each device', async () => {
    recordApplied('A', 'B');
    await settled();
    assert.deepEqual(signals, [{ jobId: JOB, lines: ['A applied', 'B applied'] }]);
  });

  it('combines later changes into one signal at the end of the interval', async () => {
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

  it('sends nothing while nothing changes, and sends at once after a pause', async () => {
    recordApplied('A');
    await settled();
    await pass(10 * INTERVAL_MS);
    assert.equal(signals.length, 1);
    assert.equal(countsAsked, 1);
    recordApplied('B');
    await settled();
    assert.equal(signals.length, 2);
  });

  it('sends no lines when the changed device is unknown', async () => {
    progress.progressed(ORGANIZATION, [JOB]);
    await settled();
    assert.deepEqual(signals, [{ jobId: JOB, lines: [] }]);
  });

  it('delays no signal of one job by those for another', async () => {
    jobs.set('other', counted({ waiting: 1 }));
    recordApplied('A');
    progress.progressed(ORGANIZATION, ['other']);
    await settled();
    assert.deepEqual(signals.map(({ jobId }) => jobId).sort(), [JOB, 'other']);
  });

  it('signals five jobs of an organization at a time, however many have changed at once', async () => {
    let underWay = 0;
    const seen: number[] = [];
    signal = async () => {
      seen.push(++underWay);
      await settled();
      underWay--;
    };
    const ids = Array.from({ length: 12 }, (_, index) => `job ${index}`);
    for (const id of ids) jobs.set(id, counted({ waiting: 1 }));
    progress.progressed(ORGANIZATION, ids);
    for (const _ of ids) await settled();
    assert.deepEqual([seen.length, Math.max(...seen)], [12, 5]);
  });

  describe('while the turns of an organization are taken', () => {
    const ids = Array.from({ length: 7 }, (_, index) => `job ${index}`);
    let ends: Array<() => void>;

    beforeEach(async () => {
      ends = [];
      signal = () => new Promise((resolve) => ends.push(resolve));
      for (const id of ids) jobs.set(id, counted({ waiting: 1 }));
      for (let interval = 0; interval < 4; interval++) {
        progress.progressed(ORGANIZATION, ids);
        await pass(INTERVAL_MS);
      }
      assert.equal(ends.length, 5);
    });

    async function endAll(): Promise<void> {
      for (const end of ends) {
        end();
        await settled();
      }
    }

    it('queues each job once, however often it changes', async () => {
      await endAll();
      assert.equal(ends.length, 5 + ids.length);
    });

    it('signals each job once more when it stops, without turns', async () => {
      const stopped = progress.flush();
      await settled();
      assert.equal(ends.length, 5 + ids.length);
      await endAll();
      await stopped;
      assert.equal(ends.length, 5 + ids.length);
    });
  });

  it('sends at most 50 lines', async () => {
    recordApplied('first');
    await settled();
    recordApplied(...Array.from({ length: 80 }, (_, index) => `D${index}`));
    await pass(INTERVAL_MS);
    assert.equal(signals.at(-1)?.lines.length, 50);
  });

  it('sends signals of a large job once per percent, without lines', async () => {
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

  it('counts the targets of a large job only when the recorded outcomes do not add up to a percent', async () => {
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

  it('distinguishes one open target of a large job from none', async () => {
    for (const waiting of [1, 0]) {
      jobs.set(JOB, counted({ waiting, applied: 1_000 - waiting }));
      progress.progressed(ORGANIZATION, [JOB]);
      await pass(INTERVAL_MS);
    }
    assert.equal(signals.length, 2);
  });

  it('sends at most 101 signals for a large job, and always one for its end', async () => {
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

  it('forgets large jobs after changes of a thousand others', async () => {
    jobs.set(JOB, counted({ waiting: 1_000 }));
    recordApplied('A');
    for (let other = 0; other < 1_000; other++) {
      await pass(INTERVAL_MS);
      jobs.set(`other ${other}`, counted({ waiting: 1_000 }));
      progress.progressed(ORGANIZATION, [`other ${other}`]);
    }
    recordApplied('B');
    await settled();
    assert.equal(signals.filter(({ jobId }) => jobId === JOB).length, 2, 'the percent before is not known');
  });

  it('signals a large job that was itself changed, although no target was', async () => {
    jobs.set(JOB, counted({ waiting: 1_000 }));
    progress.progressed(ORGANIZATION, [JOB]);
    await pass(INTERVAL_MS);
    progress.jobChanged({ organizationId: ORGANIZATION, jobId: JOB });
    await pass(INTERVAL_MS);
    assert.equal(signals.length, 2);
  });

  it('counts percents of a staged large job over the targets that have begun', async () => {
    jobs.set(JOB, counted({ applied: 100, queued: 900 }));
    progress.progressed(ORGANIZATION, [JOB]);
    await pass(INTERVAL_MS);
    jobs.set(JOB, counted({ applied: 100, waiting: 900 }));
    progress.progressed(ORGANIZATION, [JOB]);
    await pass(INTERVAL_MS);
    assert.equal(signals.length, 2);
  });

  it('reports a fault, and keeps the lines for the next signal', async () => {
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

  it('sends all signals before a flush returns, including delayed ones', async () => {
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
