/** The behaviour of a device with compiled alerts, compared with the customer's intention. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { LogicRule, ThresholdRule } from '../../src/devices/configuration.ts';
import { slotAt } from '../../src/devices/device-capabilities.ts';
import { compileProfile } from '../../src/profiles/compile-profile.ts';
import { enforcedBounds } from '../../src/profiles/profile.ts';
import { expectedSamples, nearestTenth } from './customer-view.ts';
import { transmissionsOf } from './device-interpreter.ts';
import {
  alert,
  alertLists,
  alerts,
  double,
  fridge,
  nothing,
  rulesOf,
  single,
  variants,
  winter,
} from './fixtures.ts';

describe('The rules of an alert', () => {
  it('counts the samples of a delay by the measurement interval, rounded up and at most 10', () => {
    const samples = (delayMinutes: number, seconds: number | null) => {
      const known = seconds === null ? {} : { measurementPeriodBase: seconds };
      const delayed = { ...nothing, alerts: [{ ...fridge, delayMinutes }] };
      const rules = compileProfile(delayed, single, winter, known).alarmRules ?? [];
      return rules.flatMap((rule) => ('samples' in rule ? [rule.samples] : []));
    };
    assert.deepEqual(samples(0, 300), [1, 1]);
    assert.deepEqual(samples(5, 300), [2, 2]);
    assert.deepEqual(samples(6, 300), [3, 3]);
    assert.deepEqual(samples(1, 600), [2, 2]);
    assert.deepEqual(samples(45, 300), [10, 10]);
    assert.deepEqual(samples(1_440, 300), [10, 10]);
    assert.deepEqual(samples(30, null), [1, 1]);
  });

  it('prefers the measurement interval of the profile to the one that the device has', () => {
    const alerts = [{ ...fridge, delayMinutes: 30 }];
    const intervals = { measurementIntervalMinutes: 15 };
    const known = { measurementPeriodBase: 60 };
    const [rule] = compileProfile({ ...nothing, alerts, intervals }, single, winter, known).alarmRules ?? [];
    assert.equal((rule as ThresholdRule).samples, 3);
  });

  it('compiles default delay and severity like an alert without them', () => {
    fc.assert(
      fc.property(alerts, variants, (each, capabilities) => {
        const explicit = { ...each, delayMinutes: 0, severity: 'critical' as const };
        assert.deepEqual(rulesOf([explicit], capabilities), rulesOf([each], capabilities));
        assert.ok(rulesOf([each], capabilities).every((rule) => !('terms' in rule)));
      }),
    );
  });

  it('compiles an alert to its thresholds and one logic rule over exactly these', () => {
    fc.assert(
      fc.property(alertLists, variants, (list, capabilities) => {
        const rules = rulesOf(list, capabilities);
        let position = 0;
        for (const each of list) {
          const own: number[] = [];
          while (
            rules[position]?.condition.endsWith('_THRESHOLD') &&
            own.length < (each.type === 'range' ? 2 : 1)
          ) {
            own.push(position++);
          }
          assert.equal(own.length, each.type === 'range' ? 2 : 1);
          if (!each.transmitOnBreach && !each.transmitOnReturn) continue;
          const logic = rules[position++] as LogicRule;
          assert.equal(logic.condition, 'LOGIC_OPERATOR');
          assert.deepEqual(logic.rules, own);
          assert.ok(logic.negatedRules.every((rule) => own.includes(rule)));
        }
        assert.ok(rules.slice(position).every(({ condition }) => condition === 'DISABLED'));
      }),
    );
  });

  it('compiles thresholds that are equal to minC and maxC, within the steps and limits of the protocol', () => {
    fc.assert(
      fc.property(alerts, (each) => {
        const rules = rulesOf([each]).filter((rule) => 'threshold' in rule) as ThresholdRule[];
        const threshold = (condition: string) =>
          rules.find((rule) => rule.condition === condition)?.threshold;
        const { minC, maxC } = enforcedBounds(each);
        assert.equal(threshold('LOW_THRESHOLD') ?? null, minC);
        assert.equal(threshold('HIGH_THRESHOLD') ?? null, maxC);
        for (const rule of rules) {
          for (const value of [rule.threshold, rule.hysteresis]) {
            assert.equal(value, Math.round(value * 10) / 10);
            assert.ok(!Object.is(value, -0));
          }
          assert.ok(rule.hysteresis >= 0);
          if (minC !== null && maxC !== null) assert.ok(rule.hysteresis <= maxC - minC + 1e-9);
        }
      }),
    );
  });

  it('transmits exactly at the requested breaches and returns', () => {
    const near = fc.record({
      list: fc.array(alerts, { minLength: 1, maxLength: 4 }),
      steps: fc.array(
        fc.record({
          around: fc.nat({ max: 7 }),
          probe: fc.integer({ min: -12, max: 12 }),
          ambient: fc.integer({ min: -12, max: 12 }),
        }),
        { minLength: 1, maxLength: 40 },
      ),
    });
    fc.assert(
      fc.property(near, fc.constantFrom(single, double), ({ list, steps }, capabilities) => {
        const bounds = list
          .flatMap(({ lowC, highC }) => [lowC, highC])
          .filter((bound) => bound !== undefined);
        const samples = steps.map(({ around, probe, ambient }) => {
          const base = nearestTenth(bounds[around % bounds.length] ?? 0);
          return { probe: base + probe, ambient: capabilities === single ? base + probe : base + ambient };
        });
        const bySlot = samples.map(({ probe, ambient }) => ({
          [slotAt('ambient', capabilities)]: ambient,
          [slotAt('probe', capabilities)]: probe,
        }));
        const rules = rulesOf(list, capabilities);
        const sent = transmissionsOf(rules, bySlot);
        const logicPositions = rules.flatMap(({ condition }, at) =>
          condition === 'LOGIC_OPERATOR' ? [at] : [],
        );
        const telling = list.filter((each) => each.transmitOnBreach || each.transmitOnReturn);
        assert.equal(logicPositions.length, telling.length);
        for (const [index, each] of telling.entries()) {
          const own = sent.filter(({ rule }) => rule === logicPositions[index]).map(({ sample }) => sample);
          const curve = samples.map((sample) => sample[each.channel]);
          assert.deepEqual(own, expectedSamples(each, curve));
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('allows a return in every case, even where rounding makes the bounds equal', () => {
    const narrow = alert({ lowC: 1.96, highC: 8.04, hysteresisC: 6.08 });
    const [high, low] = rulesOf([narrow]) as ThresholdRule[];
    assert.deepEqual([high?.threshold, low?.threshold, high?.hysteresis], [8, 2, 6]);
  });
});
