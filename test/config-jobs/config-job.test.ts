/** Rules of a job's run, without database and Temporal (contract, section 4). */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findConflicts } from '../../src/config-jobs/changes.service.ts';
import {
  abortReason,
  type Counts,
  evaluateStage,
  finishedStatus,
  firstStageSize,
  jobView,
  NO_COUNTS,
  type Rollout,
  TARGET_STATES,
} from '../../src/config-jobs/config-job.ts';
import {
  type Calendar,
  type ConfigurationKey,
  type DeviceConfiguration,
  DISABLED_CALENDAR,
  includes,
  keysOf,
  merged,
} from '../../src/devices/configuration.ts';
import { memoized } from '../../src/process/memoized.ts';

const counted = (some: Partial<Counts>): Counts => ({ ...NO_COUNTS, ...some });

const someCounts = (max: number): fc.Arbitrary<Counts> =>
  fc.record(
    Object.fromEntries(TARGET_STATES.map((state) => [state, fc.nat(max)])) as Record<
      keyof Counts,
      fc.Arbitrary<number>
    >,
  );
const counts = fc.oneof(someCounts(3), someCounts(200));
const percents = fc.integer({ min: 1, max: 100 });
const rollouts: fc.Arbitrary<Rollout> = fc.record({
  firstPercent: percents,
  minAppliedPercent: percents,
  abortFailedPercent: percents,
});
const careful: Rollout = { firstPercent: 10, minAppliedPercent: 90, abortFailedPercent: 20 };

describe('The first stage of a job', () => {
  it('takes all devices into the first stage without a rollout', () => {
    for (const total of [1, 3, 100_000]) assert.equal(firstStageSize(total, null), total);
  });

  it('takes the given share into the first stage, rounded up, and at least one device', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), rollouts, (total, rollout) => {
        const size = firstStageSize(total, rollout);
        assert.equal(size >= 1 && size <= total, true);
        assert.equal(size * 100 >= total * rollout.firstPercent, true, 'not less than asked for');
        assert.equal((size - 1) * 100 < total * rollout.firstPercent, true, 'no more than needed');
      }),
    );
  });
});

describe('Evaluating a stage', () => {
  const first = { isLast: false, rollout: careful };
  const last = { isLast: true, rollout: careful };
  const only = { isLast: true, rollout: null };

  it('waits while a device is open, and proceeds when none is', () => {
    assert.equal(evaluateStage(counted({ waiting: 1, applied: 9 }), only), 'wait');
    assert.equal(evaluateStage(counted({ sent: 1, applied: 9 }), only), 'wait');
    assert.equal(evaluateStage(counted({ applied: 10 }), only), 'proceed');
  });

  it('never aborts without a rollout, however many devices fail', () => {
    assert.equal(evaluateStage(counted({ failed: 9, waiting: 1 }), only), 'wait');
    assert.equal(evaluateStage(counted({ failed: 10 }), only), 'proceed');
  });

  it('proceeds when enough devices have applied the change, although some are still open', () => {
    assert.equal(evaluateStage(counted({ applied: 89, waiting: 11 }), first), 'wait');
    assert.equal(evaluateStage(counted({ applied: 90, waiting: 10, queued: 900 }), first), 'proceed');
  });

  it('aborts when too many devices have failed, in every stage', () => {
    assert.equal(evaluateStage(counted({ failed: 19, waiting: 81 }), first), 'wait');
    assert.equal(evaluateStage(counted({ failed: 20, waiting: 80 }), first), 'abort');
    assert.equal(evaluateStage(counted({ failed: 20, applied: 70, sent: 10 }), last), 'abort');
  });

  it('aborts when the first stage has settled and too few devices have applied the change', () => {
    assert.equal(evaluateStage(counted({ applied: 85, failed: 15 }), first), 'abort');
    assert.equal(evaluateStage(counted({ applied: 85, timed_out: 15 }), first), 'abort');
  });

  it('aborts when no device is left in the first stage, or none that is left has applied the change', () => {
    assert.equal(evaluateStage(counted({ superseded: 10, queued: 90 }), first), 'abort');
    assert.equal(evaluateStage(counted({ cancelled: 9, waiting: 1, queued: 90 }), first), 'wait');
    assert.equal(evaluateStage(counted({ cancelled: 9, applied: 1, queued: 90 }), first), 'proceed');
    assert.equal(evaluateStage(counted({ superseded: 9, timed_out: 1, queued: 90 }), first), 'abort');
  });

  it('begins the first stage of a job that its run begins, even if devices have left the job since', () => {
    assert.equal(
      evaluateStage(counted({ superseded: 1, queued: 9 }), { ...first, isNextBeginning: true }),
      'proceed',
    );
  });

  it('says why it aborts', () => {
    assert.match(abortReason(counted({ failed: 2, waiting: 2 }), careful), /too many .*: 2 of 4, at 20 %/);
    assert.match(abortReason(counted({ superseded: 2 }), careful), /^no device of the first stage/);
    assert.match(abortReason(counted({ applied: 1, timed_out: 1 }), careful), /too few .*: 1 of 2, 90 %/);
  });

  it('counts a share that is reached exactly as reached, for all numbers', () => {
    const wrong: string[] = [];
    for (let total = 1; total <= 300; total++) {
      for (let percent = 1; percent <= 100; percent++) {
        if ((total * percent) % 100 !== 0) continue;
        const share = (total * percent) / 100;
        const thresholds = { firstPercent: 1, minAppliedPercent: percent, abortFailedPercent: percent };
        const stage = { isLast: false, rollout: thresholds };
        const met = evaluateStage(counted({ applied: share, waiting: total - share }), stage);
        const over = evaluateStage(counted({ failed: share, waiting: total - share }), stage);
        if (met !== 'proceed' || over !== 'abort') wrong.push(`${share} of ${total} is ${percent} %`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('compares shares of the counted devices without rounding', () => {
    fc.assert(
      fc.property(counts, fc.option(rollouts), fc.boolean(), (begun, rollout, isLast) => {
        const open = begun.waiting + begun.sent;
        const all = open + begun.applied + begun.failed + begun.timed_out;
        const reaches = (count: number, percent: number) => count * 100 >= percent * all;
        const verdict = evaluateStage(begun, { isLast, rollout });
        if (rollout && begun.failed > 0 && reaches(begun.failed, rollout.abortFailedPercent))
          assert.equal(verdict, 'abort');
        else if (isLast) assert.equal(verdict, open > 0 ? 'wait' : 'proceed');
        else if (rollout === null) assert.equal(verdict, 'proceed');
        else if (begun.applied > 0 && reaches(begun.applied, rollout.minAppliedPercent))
          assert.equal(verdict, 'proceed');
        else assert.equal(verdict, open > 0 ? 'wait' : 'abort');
      }),
      { numRuns: 2_000 },
    );
  });

  it('ignores devices that were cancelled, superseded or have not begun', () => {
    fc.assert(
      fc.property(counts, counts, fc.option(rollouts), fc.boolean(), (begun, other, rollout, isLast) => {
        const { queued, cancelled, superseded } = other;
        const stage = { isLast, rollout };
        assert.equal(
          evaluateStage({ ...begun, queued, cancelled, superseded }, stage),
          evaluateStage(begun, stage),
        );
      }),
    );
  });

  it('never waits when no device is open', () => {
    fc.assert(
      fc.property(counts, fc.option(rollouts), fc.boolean(), (begun, rollout, isLast) => {
        const verdict = evaluateStage({ ...begun, waiting: 0, sent: 0 }, { isLast, rollout });
        assert.notEqual(verdict, 'wait');
      }),
    );
  });
});

describe('A finished job', () => {
  it('ends as succeeded when every device applied the change, or was superseded or cancelled', () => {
    fc.assert(
      fc.property(counts, (some) => {
        assert.equal(finishedStatus({ ...some, failed: 0, timed_out: 0 }), 'succeeded');
      }),
    );
  });

  it('ends as completed_with_failures when a device failed or timed out', () => {
    assert.equal(finishedStatus(counted({ applied: 99, failed: 1 })), 'completed_with_failures');
    assert.equal(finishedStatus(counted({ applied: 99, timed_out: 1 })), 'completed_with_failures');
  });

  it('shows all eight counts of a job by their names in the API', () => {
    const at = new Date('2026-03-02T08:00:00.123Z');
    const view = jobView({
      organizationId: 'organization',
      jobId: 'id',
      profileSlug: 'fridge',
      profileSnapshot: { alerts: null, schedule: null, intervals: null },
      rollout: null,
      currentStage: 1,
      stageCount: 1,
      isBeginningStage: false,
      status: 'running',
      targetCount: 3,
      targetCounts: counted({ timed_out: 1, sent: 2 }),
      startAt: null,
      cancelRequestedAt: null,
      reason: null,
      deadlineAt: at,
      createdAt: at,
      createdBy: null,
      origin: null,
      finishedAt: null,
    });
    assert.deepEqual(view, {
      id: 'id',
      profileSlug: 'fridge',
      status: 'running',
      total: 3,
      counts: {
        queued: 0,
        waiting: 0,
        sent: 2,
        applied: 0,
        failed: 0,
        cancelled: 0,
        superseded: 0,
        timedOut: 1,
      },
      deadlineAt: '2026-03-02T08:00:00.123Z',
      cancelRequestedAt: null,
      reason: null,
      createdAt: '2026-03-02T08:00:00.123Z',
      createdBy: null,
      origin: null,
      finishedAt: null,
    });
  });
});

const windowAt = (fromTime: number): Calendar => ({
  type: 'WEEK',
  enableRules: [0],
  days: [1],
  fromTime,
  toTime: 1_080,
  timezone: 0,
});

/** Changes with few values, so that they often overlap and often agree. */
const changes: fc.Arbitrary<DeviceConfiguration> = fc
  .record(
    {
      measurementPeriodBase: fc.constantFrom(60, 300),
      measurementPeriodFactor: fc.constantFrom(1, 2),
      transmissionInterval: fc.constantFrom(3_600, 7_200),
      calendars: fc.constantFrom<Calendar[]>([], [DISABLED_CALENDAR], [windowAt(480)], [windowAt(540)]),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .filter((config) => keysOf(config).length > 0);

describe('Changes of several jobs on one device', () => {
  const contents = new Map<string, DeviceConfiguration>([
    ['ten minutes', { measurementPeriodBase: 600, measurementPeriodFactor: 1 }],
    ['an hour', { measurementPeriodBase: 3_600, measurementPeriodFactor: 1 }],
    ['daily', { transmissionInterval: 86_400 }],
    ['ten minutes, daily', { measurementPeriodBase: 600, transmissionInterval: 86_400 }],
  ]);

  it('finds a conflict only where two changes set a key to different values; the later one takes it over with its unit', () => {
    const all = [...contents.keys()];
    const conflictsOf = (existing: string[], incoming: string) =>
      findConflicts(
        existing.map((each) => ({ existing: each, incoming })),
        contents,
      );
    const periods: ConfigurationKey[] = ['measurementPeriodBase', 'measurementPeriodFactor'];
    assert.deepEqual(conflictsOf(all, 'an hour'), [
      { existing: 'ten minutes', incoming: 'an hour', overwritten: periods, existingKeys: periods },
      {
        existing: 'ten minutes, daily',
        incoming: 'an hour',
        overwritten: ['measurementPeriodBase'],
        existingKeys: ['measurementPeriodBase', 'transmissionInterval'],
      },
    ]);
    assert.deepEqual(conflictsOf(all, 'daily'), []);
    assert.deepEqual(conflictsOf(all, 'ten minutes'), [
      { existing: 'an hour', incoming: 'ten minutes', overwritten: periods, existingKeys: periods },
    ]);
  });

  it('finds a conflict exactly when the merged configuration no longer includes the existing one', () => {
    fc.assert(
      fc.property(changes, changes, changes, (other, existing, incoming) => {
        const pending = merged(merged(other, existing), incoming);
        const found = findConflicts(
          [{ existing: 'existing', incoming: 'incoming' }],
          new Map([
            ['existing', existing],
            ['incoming', incoming],
          ]),
        );
        assert.equal(found.length === 0, includes(pending, existing));
      }),
    );
  });

  it('throws when the configuration of a change is not stored', () => {
    assert.throws(
      () => findConflicts([{ existing: 'nothing', incoming: 'daily' }], contents),
      /configuration nothing is not there/,
    );
  });
});

describe('A memoized function', () => {
  it('runs a memoized function once per key, whatever it returns', () => {
    let runs = 0;
    const parity = memoized(
      (value: number) => String(value % 2),
      () => {
        runs++;
        return undefined;
      },
    );
    for (const value of [1, 2, 3, 4, 5]) parity(value);
    assert.equal(runs, 2);
  });
});
