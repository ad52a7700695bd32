/** Low batteries and failing sensors: the rules, without a database. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type ConditionTransition,
  createConditionEvaluator,
  type FrameConditions,
  type OpenConditionAlert,
} from '../../src/alerts/device-alerts.ts';
import { TEMPERATURE } from '../../src/devices/device-capabilities.ts';
import type { Reading } from '../../src/devices/reading.ts';

const ERROR = 3;
const at = (minute: number) => new Date(minute * 60_000);
const value = (minute: number, channel = 1): Reading => ({
  type: TEMPERATURE,
  channel,
  value: 4,
  error: null,
  measuredAt: at(minute),
});
const failure = (minute: number, channel = 1): Reading => ({
  type: TEMPERATURE,
  channel,
  value: null,
  error: ERROR,
  measuredAt: at(minute),
});
const frame = (samples: Reading[], more: Partial<FrameConditions> = {}): FrameConditions => ({
  batteryStatus: null,
  receivedAt: at(10_000),
  samples,
  ...more,
});

const toText = ({ kind, alert }: ConditionTransition) => `${kind} ${nameOf(alert)}`;
const nameOf = (alert: OpenConditionAlert) =>
  alert.type === 'low_battery' ? 'battery' : `channel ${alert.channel}`;

/** The transitions of each frame. */
function evaluate(...frames: FrameConditions[]): string[][] {
  const evaluator = createConditionEvaluator([]);
  return frames.map((each) => evaluator.evaluate(each).map(toText));
}

describe('The conditions of a device', () => {
  it('keeps an alert of a sensor open when an older value arrives after the error', () => {
    assert.deepEqual(evaluate(frame([failure(5)]), frame([value(4)])), [['opened channel 1'], []]);
  });

  it('ends an alert from a fast clock with the next value, without waiting for the time of the error', () => {
    const ahead = frame([failure(20_000)]);
    assert.deepEqual(evaluate(ahead, frame([value(10_001)])), [['opened channel 1'], ['resolved channel 1']]);
  });

  it('keeps alerts open exactly while the newest sample of a channel is an error and the last flag was low', () => {
    const sample = fc.record({ channel: fc.integer({ min: 1, max: 3 }), isError: fc.boolean() });
    const sent = fc.record({
      samples: fc.array(sample, { maxLength: 6 }),
      shuffle: fc.integer(),
      batteryStatus: fc.constantFrom('ok' as const, 'low' as const, null),
    });
    fc.assert(
      fc.property(fc.array(sent, { maxLength: 12 }), (frames) => {
        const newest = new Map<number, boolean>();
        let isLow = false;
        let open: OpenConditionAlert[] = [];
        let minute = 0;
        for (const { samples, shuffle, batteryStatus } of frames) {
          const timed = samples.map(({ channel, isError }) => {
            newest.set(channel, isError);
            return isError ? failure(++minute, channel) : value(++minute, channel);
          });
          if (batteryStatus !== null) isLow = batteryStatus === 'low';
          const turned = shuffle % 2 === 0 ? timed : timed.toReversed();
          // As between batches, open alerts are stored as JSON.
          const evaluator = createConditionEvaluator(JSON.parse(JSON.stringify(open)));
          const before = open.map(nameOf);
          const transitions = evaluator.evaluate(frame(turned, { batteryStatus }));
          open = evaluator.open();
          const expected = [...newest]
            .filter(([, isError]) => isError)
            .map(([channel]) => `channel ${channel}`);
          assert.deepEqual(open.map(nameOf).sort(), [...(isLow ? ['battery'] : []), ...expected].sort());
          assert.deepEqual(replay(before, transitions.map(toText)), open.map(nameOf).sort());
        }
      }),
    );
  });
});

/** Applies the transitions, each of which must be possible, to the open alerts. */
function replay(before: string[], transitions: string[]): string[] {
  const open = new Set(before);
  for (const transition of transitions) {
    const [kind, ...rest] = transition.split(' ');
    const name = rest.join(' ');
    assert.equal(open.has(name), kind === 'resolved', transition);
    if (kind === 'opened') open.add(name);
    else open.delete(name);
  }
  return [...open].sort();
}
