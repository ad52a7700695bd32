/** The device's rules over temperature series, compared with the customer's profile. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { evaluateRules, type RuleState } from '../../../dev/simulator/rule-states.ts';
import { DISABLED_CALENDAR, type LogicRule } from '../../../src/devices/configuration.ts';
import { MINUTE_MS } from '../../../src/process/durations.ts';
import { compileProfile } from '../../../src/profiles/compile-profile.ts';
import { START_MS } from './device-model.ts';

const CALENDARS = Array(6).fill(DISABLED_CALENDAR);

interface Triggers {
  transmitOnBreach: boolean;
  transmitOnReturn: boolean;
  hysteresisC: number;
}

const rulesFor = (wanted: Triggers) =>
  compileProfile(
    {
      alerts: [{ type: 'range', channel: 'probe', lowC: 2, highC: 8, ...wanted }],
      schedule: null,
      intervals: null,
    },
    { channelTypes: [1, 0, 0, 0, 0, 0], model: null, ruleSlots: 12 },
    new Date(START_MS),
  ).alarmRules ?? [];

/** The meaning of the profile: in breach beyond the bound, back within the bound less the hysteresis. */
function expectedTriggers(tenths: number[], wanted: Triggers): number[] {
  const hysteresis = Math.round(wanted.hysteresisC * 10);
  let [isHigh, isLow] = [false, false];
  return tenths.flatMap((value, index) => {
    const before = isHigh || isLow;
    isHigh = value > (isHigh ? 80 - hysteresis : 80);
    isLow = value < (isLow ? 20 + hysteresis : 20);
    const after = isHigh || isLow;
    const isSent = after ? !before && wanted.transmitOnBreach : before && wanted.transmitOnReturn;
    return isSent ? [index] : [];
  });
}

function triggers(alarmRules: Parameters<typeof evaluateRules>[0]['alarmRules'], tenths: number[]): number[] {
  let states: readonly RuleState[] = [];
  return tenths.flatMap((value, index) => {
    const nowMs = START_MS + index * MINUTE_MS;
    const outcome = evaluateRules({ alarmRules, calendars: CALENDARS }, states, {
      values: [value],
      nowMs,
      speed: 1,
    });
    states = outcome.states;
    return outcome.trigger ? [index] : [];
  });
}

describe("A simulated logger's rules", () => {
  it('triggers exactly when the compiled profile says', () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 50 }),
        fc.constantFrom([true, true], [true, false], [false, false]),
        fc.constantFrom(0, 0.5, 1.3),
        (tenths, [transmitOnBreach = false, transmitOnReturn = false], hysteresisC) => {
          const wanted = { transmitOnBreach, transmitOnReturn, hysteresisC };
          assert.deepEqual(triggers(rulesFor(wanted), tenths), expectedTriggers(tenths, wanted));
        },
      ),
    ));

  it('waits for consecutive samples and for delays', () => {
    const [high, , logic] = rulesFor({ transmitOnBreach: true, transmitOnReturn: true, hysteresisC: 0 });
    assert.ok(high?.condition === 'HIGH_THRESHOLD' && logic?.condition === 'LOGIC_OPERATOR');
    const only: LogicRule = { ...logic, rules: [0] };
    const delayed = { ...high, samples: 3 };
    assert.deepEqual(triggers([delayed, only], [90, 90, 50, 90, 90, 90, 50, 50, 50]), [5, 8]);
    assert.deepEqual(triggers([delayed, only], [90, 90, 50, 90, 90, 50]), []);
    assert.deepEqual(triggers([high, { ...only, delaySeconds: 150 }], [90, 90, 90, 90, 90, 50]), [3, 5]);
    assert.deepEqual(triggers([high, { ...only, delaySeconds: 150 }], [90, 90, 50, 50, 50]), []);
  });
});
