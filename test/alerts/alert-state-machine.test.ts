/** The course of alerts, held against the rule of webhooks.md in whole hundredths of a degree. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AlertDefinition } from '../../src/alerts/alert-definition.ts';
import {
  type AlertEvaluator,
  type AlertTransition,
  createAlertEvaluator,
  type EvaluatedReading,
  type OpenAlert,
} from '../../src/alerts/alert-state-machine.ts';

/** Hundredths; what the course sees are the same numbers divided. */
interface Guard {
  rule: number;
  channel: number;
  low: number | null;
  high: number | null;
  hysteresis: number;
}
interface Sample {
  channel: number;
  value: number;
}

const channels = fc.integer({ min: 1, max: 2 });
/** Bounds are tenths, as on the device. */
const guards: fc.Arbitrary<Guard[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('range', 'high', 'low'),
      channel: channels,
      low: fc.integer({ min: -30, max: 30 }),
      width: fc.integer({ min: 1, max: 30 }),
      hysteresis: fc.integer({ min: 0, max: 30 }),
    }),
    { maxLength: 4 },
  )
  .map((all) =>
    all.map(({ kind, channel, low, width, hysteresis }, index) => ({
      rule: index * 3,
      channel,
      low: kind === 'high' ? null : low * 10,
      high: kind === 'low' ? null : (low + width) * 10,
      hysteresis: 10 * (kind === 'range' ? Math.min(hysteresis, width) : hysteresis),
    })),
  );
const samples = fc.array(fc.record({ channel: channels, value: fc.integer({ min: -700, max: 700 }) }), {
  maxLength: 40,
});
/** Where a series is cut into frames. */
const cuts = fc.array(fc.nat({ max: 40 }), { maxLength: 8 });

const degrees = (hundredths: number | null) => (hundredths === null ? null : hundredths / 100);
const definitionsOf = (all: Guard[]): AlertDefinition[] =>
  all.map(({ rule, channel, low, high, hysteresis }) => ({
    rule,
    channel,
    bounds: { lowC: degrees(low), highC: degrees(high), hysteresisC: hysteresis / 100 },
    windows: null,
  }));
const readingsOf = (all: Sample[]): EvaluatedReading[] =>
  all.map(({ channel, value }, index) => ({
    channel,
    value: value / 100,
    measuredAt: new Date(1_700_000_000_000 + index * 60_000),
  }));

const sideOf = ({ low, high }: Guard, value: number) =>
  high !== null && value > high ? 'high' : low !== null && value < low ? 'low' : null;
const isBack = ({ low, high, hysteresis }: Guard, value: number) =>
  (high === null || value <= high - hysteresis) && (low === null || value >= low + hysteresis);
const shown = (open: OpenAlert[]) =>
  open.map(({ rule, channel, side }) => `${rule} ${channel} ${side}`).toSorted();
const told = (steps: AlertTransition[]) =>
  steps.map(({ kind, alert: { rule, channel, side } }) => `${kind} ${rule} ${channel} ${side}`);

/** Frame by frame, each begun with what the one before left, as the service keeps it. */
function inFrames(definitions: AlertDefinition[], readings: EvaluatedReading[], at: number[]) {
  const ends = [...at.filter((end) => end < readings.length), readings.length].toSorted((a, b) => a - b);
  let open: OpenAlert[] = [];
  const steps = ends.flatMap((end, index) => {
    const course = createAlertEvaluator(JSON.parse(JSON.stringify(open)));
    const taken = course.take(definitions, readings.slice(ends[index - 1] ?? 0, end));
    open = course.open();
    return taken;
  });
  return { open, steps };
}

/** Calls back after each reading, with what was open before and what is open now. */
function stepByStep(
  all: Guard[],
  series: Sample[],
  look: (sample: Sample, before: string[], after: string[], course: AlertEvaluator) => void,
): void {
  const definitions = definitionsOf(all);
  const course = createAlertEvaluator([]);
  readingsOf(series).forEach((reading, index) => {
    const before = shown(course.open());
    course.take(definitions, [reading]);
    look(series[index] as Sample, before, shown(course.open()), course);
  });
}

const sidesOf = ({ rule, channel }: Guard, open: string[]) =>
  open.filter((each) => each.startsWith(`${rule} ${channel} `)).map((each) => each.split(' ')[2]);

describe('The course of alerts', () => {
  it('has at most one open per definition, on one side', () => {
    fc.assert(
      fc.property(guards, samples, (all, series) => {
        stepByStep(all, series, (_sample, _before, after) => {
          for (const guard of all) assert.ok(sidesOf(guard, after).length <= 1);
          assert.ok(after.length <= all.length);
        });
      }),
    );
  });

  it('after a breach has one open on that side', () => {
    fc.assert(
      fc.property(guards, samples, (all, series) => {
        stepByStep(all, series, (sample, _before, after) => {
          for (const guard of all.filter(({ channel }) => channel === sample.channel)) {
            const side = sideOf(guard, sample.value);
            if (side !== null) assert.deepEqual(sidesOf(guard, after), [side]);
          }
        });
      }),
    );
  });

  it('after a return has none open', () => {
    fc.assert(
      fc.property(guards, samples, (all, series) => {
        stepByStep(all, series, (sample, _before, after) => {
          for (const guard of all.filter(({ channel }) => channel === sample.channel))
            if (isBack(guard, sample.value)) assert.deepEqual(sidesOf(guard, after), []);
        });
      }),
    );
  });

  it('in between, and by what other channels measure, stays as it was', () => {
    fc.assert(
      fc.property(guards, samples, (all, series) => {
        stepByStep(all, series, (sample, before, after) => {
          for (const guard of all) {
            const isOther = guard.channel !== sample.channel;
            const isBetween = sideOf(guard, sample.value) === null && !isBack(guard, sample.value);
            if (isOther || isBetween) assert.deepEqual(sidesOf(guard, after), sidesOf(guard, before));
          }
        });
      }),
    );
  });

  it('depends on the readings alone, however they are cut into frames', () => {
    fc.assert(
      fc.property(guards, samples, cuts, (all, series, at) => {
        const [definitions, readings] = [definitionsOf(all), readingsOf(series)];
        const whole = createAlertEvaluator([]);
        const steps = whole.take(definitions, readings);
        const pieces = inFrames(definitions, readings, at);
        assert.deepEqual(told(pieces.steps), told(steps));
        assert.deepEqual(shown(pieces.open), shown(whole.open()));
      }),
    );
  });

  it('tells in its steps all that becomes of what is open, and of no breach without an open alert', () => {
    fc.assert(
      fc.property(guards, samples, (all, series) => {
        const course = createAlertEvaluator([]);
        const open = new Set<OpenAlert>();
        for (const step of course.take(definitionsOf(all), readingsOf(series))) {
          if (step.kind === 'opened') open.add(step.alert);
          else if (step.kind === 'closed') assert.ok(open.delete(step.alert));
          else assert.ok(open.has(step.alert));
        }
        assert.deepEqual([...open], course.open());
      }),
    );
  });

  it('says of each reading in breach that it is one, once for each definition', () => {
    fc.assert(
      fc.property(guards, samples, (all, series) => {
        const steps = createAlertEvaluator([]).take(definitionsOf(all), readingsOf(series));
        const breaches = series.flatMap((sample) =>
          all.filter((guard) => guard.channel === sample.channel && sideOf(guard, sample.value) !== null),
        );
        assert.equal(steps.filter(({ kind }) => kind === 'breached').length, breaches.length);
      }),
    );
  });

  it('is not touched outside of the windows of a definition', () => {
    const sundays = {
      type: 'WEEK' as const,
      enableRules: [0],
      days: [0],
      fromTime: 0,
      toTime: 1_439,
      timezone: 0,
    };
    const [definition] = definitionsOf([{ rule: 0, channel: 1, low: null, high: 800, hysteresis: 0 }]);
    const course = createAlertEvaluator([]);
    const on = (day: number, value: number) => [
      { channel: 1, value, measuredAt: new Date(Date.UTC(2026, 2, day, 12)) },
    ];
    const watched = [{ ...(definition as AlertDefinition), windows: [sundays] }];
    assert.deepEqual(course.take(watched, on(2, 9)), []);
    assert.deepEqual(told(course.take(watched, on(8, 9))), ['opened 0 1 high', 'breached 0 1 high']);
    assert.deepEqual(course.take(watched, on(9, 5)), []);
    assert.deepEqual(told(course.take(watched, on(15, 5))), ['closed 0 1 high']);
  });
});
