/** Which step of an escalation comes next. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type EscalationView, untilLookMs } from '../../src/escalations/alert-escalation.ts';
import {
  afterStep,
  type EscalationProgress,
  nextStep,
  REPEATS_MAX,
} from '../../src/escalations/escalation-plan.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';

const AT = new Date('2026-03-02T08:15:30Z');
const BEGUN: EscalationProgress = { beganAt: AT, stepsMade: 0, repeatsMade: 0, lastStepAt: null };
const inMinutes = (minutes: number) => new Date(AT.getTime() + minutes * MINUTE_MS);
const step = (afterMinutes: number, ...channelIds: string[]) => ({ afterMinutes, channelIds });
const THREE = [step(0, 'a'), step(10, 'b'), step(30, 'c')];

/** Every step, made at the first moment at which it is due, up to the end; with minutes and channels. */
function play(
  policy: Parameters<typeof nextStep>[0],
  { from = BEGUN, notBefore = 0 }: { from?: EscalationProgress; notBefore?: number } = {},
): Array<[number, string]> {
  const made: Array<[number, string]> = [];
  let progress = from;
  for (let next = nextStep(policy, progress); next; next = nextStep(policy, progress)) {
    const at = new Date(Math.max(next.at.getTime(), inMinutes(notBefore).getTime()));
    made.push([(at.getTime() - AT.getTime()) / MINUTE_MS, next.channelIds.join()]);
    progress = afterStep(progress, next, at);
  }
  return made;
}

describe('The plan of an escalation', () => {
  it('counts the minutes of each step from its beginning', () => {
    assert.deepEqual(play({ steps: THREE, repeatMinutes: null }), [
      [0, 'a'],
      [10, 'b'],
      [30, 'c'],
    ]);
  });

  it('repeats the last step ten times, counted from when it was made', () => {
    const made = play({ steps: THREE, repeatMinutes: 5 });
    assert.equal(made.length, THREE.length + REPEATS_MAX);
    assert.deepEqual(made.slice(2, 5), [
      [30, 'c'],
      [35, 'c'],
      [40, 'c'],
    ]);
  });

  it('makes each step that a snooze has held when it ends, and one repeat for all due ones', () => {
    assert.deepEqual(play({ steps: THREE, repeatMinutes: 5 }, { notBefore: 60 }).slice(0, 5), [
      [60, 'a'],
      [60, 'b'],
      [60, 'c'],
      [65, 'c'],
      [70, 'c'],
    ]);
  });

  it('follows a changed policy: makes added steps, and skips removed ones', () => {
    const [first] = THREE;
    const progress = { ...BEGUN, stepsMade: 2, lastStepAt: inMinutes(10) };
    assert.deepEqual(play({ steps: [...THREE, step(60, 'd')], repeatMinutes: null }, { from: progress }), [
      [30, 'c'],
      [60, 'd'],
    ]);
    assert.equal(nextStep({ steps: first ? [first] : [], repeatMinutes: null }, progress), null);
    assert.deepEqual(nextStep({ steps: first ? [first] : [], repeatMinutes: 20 }, progress), {
      position: 1,
      isRepeat: true,
      at: inMinutes(30),
      channelIds: ['a'],
    });
  });

  it('makes every step once and in order, for any holds', () => {
    const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 10_080 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(
        minutes,
        fc.option(fc.integer({ min: 5, max: 1_440 })),
        fc.integer({ min: 0, max: 20_000 }),
        (after, repeatMinutes, notBefore) => {
          const sorted = after.toSorted((a, b) => a - b);
          const steps = sorted.map((each) => step(each, `step ${each}`));
          const made = play({ steps, repeatMinutes }, { notBefore });
          const repeats = repeatMinutes === null ? 0 : REPEATS_MAX;
          assert.deepEqual(
            made.map(([, name]) => name),
            [...sorted, ...Array(repeats).fill(sorted.at(-1))].map((each) => `step ${each}`),
          );
          const times = made.map(([at]) => at);
          assert.deepEqual(
            times,
            times.toSorted((a, b) => a - b),
          );
          assert.ok(made.slice(0, sorted.length).every(([at], index) => at >= (sorted[index] ?? 0)));
        },
      ),
    );
  });
});

describe('A run whose steps were all made', () => {
  it('looks again when its alert is twice as old, after five minutes at least and a day at most', () => {
    const waitAfter = (minutes: number) =>
      untilLookMs({ next: null, details: { ageMs: minutes * MINUTE_MS } } as EscalationView);
    assert.deepEqual(
      [-1, 3, 40, 5_000].map(waitAfter),
      [5, 5, 40, 1_440].map((minutes) => minutes * MINUTE_MS),
    );
  });

  it('looks a minute after a step, when most of its messages have arrived', () => {
    const details = { ageMs: 40 * MINUTE_MS, isStepNew: true };
    assert.equal(untilLookMs({ next: null, details } as EscalationView), MINUTE_MS);
  });
});
