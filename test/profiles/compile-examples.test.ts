/** Compiled profiles, by example. */
import assert from 'node:assert/strict';
import {
  type AlarmRule,
  DISABLED_CALENDAR,
  DISABLED_RULE,
  type ThresholdRule,
} from '../../src/devices/configuration.ts';
import { compileProfile, type ProfileSnapshot } from '../../src/profiles/compile-profile.ts';
import { compileWarnings } from '../../src/profiles/compile-warnings.ts';
import type { Schedule } from '../../src/profiles/profile.ts';
import {
  alert,
  double,
  filled,
  fridge,
  officeHours,
  rulesOf,
  single,
  summer,
  unreported,
  winter,
} from './fixtures.ts';

describe('A compiled profile, by example', () => {
  it('compiles monitoring of hot water in office hours, measured every 5 minutes and sent every 6 hours', () => {
    const hotWater: ProfileSnapshot = {
      alerts: [alert({ type: 'low', lowC: 50, hysteresisC: 2 })],
      schedule: officeHours,
      intervals: { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 21_600 },
    };
    const rules: AlarmRule[] = [
      {
        condition: 'LOW_THRESHOLD',
        slotNumbers: [0],
        alarmRuleType: 'TEMPERATURE',
        threshold: 50,
        hysteresis: 2,
        mode: 'CONSECUTIVE_SAMPLES',
        samples: 1,
        action: 'NO_ACTION',
      },
      {
        condition: 'LOGIC_OPERATOR',
        operator: 'OR',
        rules: [0],
        negatedRules: [],
        delaySeconds: 0,
        returnDelaySeconds: 0,
        action: 'TRIGGER_TRANSMISSION',
      },
    ];
    const week = {
      type: 'WEEK',
      enableRules: [0, 1],
      days: [1, 2, 3, 4, 5],
      fromTime: 480,
      toTime: 1080,
    } as const;
    const configuration = (timezone: number) => ({
      measurementPeriodBase: 300,
      measurementPeriodFactor: 1,
      transmissionInterval: 21_600,
      alarmRules: filled(rules, DISABLED_RULE, 12),
      calendars: filled<unknown>([{ ...week, timezone }], DISABLED_CALENDAR, 6),
    });
    assert.deepEqual(compileProfile(hotWater, single, winter), configuration(60));
    assert.deepEqual(compileProfile(hotWater, single, summer), configuration(120));
    assert.deepEqual(compileWarnings(hotWater, single), [
      "intervals.transmissionIntervalSeconds is more than 60 measurement intervals (18000 s): the device's manual allows no more, so it may refuse",
    ]);
  });

  it('compiles monitoring of a vaccine fridge around the clock', () => {
    const schedule: Schedule = { always: true };
    assert.deepEqual(compileProfile({ alerts: [fridge], schedule, intervals: null }, double, winter), {
      alarmRules: filled<AlarmRule>(
        [
          {
            condition: 'HIGH_THRESHOLD',
            slotNumbers: [2],
            alarmRuleType: 'TEMPERATURE',
            threshold: 8,
            hysteresis: 0.5,
            mode: 'CONSECUTIVE_SAMPLES',
            samples: 1,
            action: 'NO_ACTION',
          },
          {
            condition: 'LOW_THRESHOLD',
            slotNumbers: [2],
            alarmRuleType: 'TEMPERATURE',
            threshold: 2,
            hysteresis: 0.5,
            mode: 'CONSECUTIVE_SAMPLES',
            samples: 1,
            action: 'NO_ACTION',
          },
          {
            condition: 'LOGIC_OPERATOR',
            operator: 'OR',
            rules: [0, 1],
            negatedRules: [],
            delaySeconds: 0,
            returnDelaySeconds: 0,
            action: 'TRIGGER_TRANSMISSION',
          },
        ],
        DISABLED_RULE,
        16,
      ),
      calendars: filled([], DISABLED_CALENDAR, 6),
    });
  });

  it('compiles monitoring of a freezer by its probe that transmits only on return', () => {
    const freezer = alert({ lowC: -25, highC: -15, transmitOnBreach: false });
    const model = { ...unreported, model: 'TVO-THT' };
    const [high, low, logic, ...rest] = rulesOf([freezer], model) as [
      ThresholdRule,
      ThresholdRule,
      AlarmRule,
    ];
    assert.deepEqual(
      [high.threshold, high.slotNumbers, low.threshold, low.slotNumbers],
      [-15, [2], -25, [2]],
    );
    assert.deepEqual(logic, {
      condition: 'LOGIC_OPERATOR',
      operator: 'AND',
      rules: [0, 1],
      negatedRules: [0, 1],
      delaySeconds: 0,
      returnDelaySeconds: null,
      action: 'TRIGGER_TRANSMISSION',
    });
    assert.deepEqual(rest, Array(9).fill(DISABLED_RULE));
  });
});
