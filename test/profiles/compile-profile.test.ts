/** Compiled profiles as a whole, and how devices share them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { canonicalText } from '../../src/devices/configuration.ts';
import { capabilitiesKey, type DeviceCapabilities } from '../../src/devices/device-capabilities.ts';
import { compileProfile } from '../../src/profiles/compile-profile.ts';
import { compileWarnings } from '../../src/profiles/compile-warnings.ts';
import type { Schedule } from '../../src/profiles/profile.ts';
import {
  alertLists,
  moments,
  nothing,
  single,
  unreported,
  variants,
  weekSchedules,
  winter,
} from './fixtures.ts';

describe('A compiled profile', () => {
  const given = fc.record(
    {
      alerts: fc.option(alertLists),
      schedule: fc.option(fc.oneof(weekSchedules, fc.constant<Schedule>({ always: true }))),
      intervals: fc.option(
        fc.constantFrom(
          { measurementIntervalMinutes: 5 },
          { transmissionIntervalSeconds: 600 },
          { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 600 },
        ),
      ),
    },
    { noNullPrototype: true },
  );

  it('sets only the parts that the profile has', () => {
    fc.assert(
      fc.property(given, variants, moments, (parts, capabilities, at) => {
        const { alerts, schedule, intervals } = parts;
        const keys = [
          ...(intervals?.measurementIntervalMinutes
            ? ['measurementPeriodBase', 'measurementPeriodFactor']
            : []),
          ...(intervals?.transmissionIntervalSeconds ? ['transmissionInterval'] : []),
          ...(alerts ? ['alarmRules'] : []),
          ...(alerts || schedule ? ['calendars'] : []),
        ];
        assert.deepEqual(Object.keys(compileProfile(parts, capabilities, at)), keys);
      }),
    );
  });

  it('compiles full lists: as many rules as the device has slots, and six calendars', () => {
    fc.assert(
      fc.property(given, variants, moments, (parts, capabilities, at) => {
        const { alarmRules, calendars } = compileProfile(parts, capabilities, at);
        if (alarmRules) assert.equal(alarmRules.length, capabilities.ruleSlots);
        if (calendars) assert.equal(calendars.length, 6);
      }),
    );
  });

  it('compiles to the same configuration each time, for any order of the days, without changing its input', () => {
    fc.assert(
      fc.property(given, variants, moments, (parts, capabilities, at) => {
        const before = structuredClone(parts);
        const first = compileProfile(parts, capabilities, at);
        assert.deepEqual(parts, before);
        assert.deepEqual(compileProfile(before, { ...capabilities }, new Date(at)), first);
        if (!parts.schedule || parts.schedule.always) return;
        const schedule = { ...parts.schedule, days: parts.schedule.days.toReversed() };
        assert.equal(
          canonicalText(compileProfile({ ...parts, schedule }, capabilities, at)),
          canonicalText(first),
        );
      }),
    );
  });

  it('splits every possible interval into base and factor, each at most 65535', () => {
    for (let minutes = 1; minutes <= 14_400; minutes += 1) {
      const intervals = { measurementIntervalMinutes: minutes };
      const compiled = compileProfile({ ...nothing, intervals }, single, winter);
      const { measurementPeriodBase: base = 0, measurementPeriodFactor: factor = 0 } = compiled;
      assert.equal(base * factor, minutes * 60);
      assert.ok(Number.isInteger(base) && base >= 1 && base <= 65_535, `${minutes} min: base ${base}`);
      assert.ok(Number.isInteger(factor) && factor >= 1 && factor <= 65_535);
      for (let less = 1; less < factor; less += 1) {
        assert.ok((minutes * 60) % less !== 0 || (minutes * 60) / less > 65_535, 'a smaller factor would do');
      }
    }
  });
});

describe('The key of a variant', () => {
  const anyVariant = fc.record<DeviceCapabilities>({
    channelTypes: fc.option(fc.array(fc.constantFrom(0, 1, 2), { maxLength: 6 })),
    model: fc.option(fc.constantFrom('TVO-THT', 'TVO-T', 'other')),
    ruleSlots: fc.constantFrom(12, 16),
  });

  it('gives equal keys only to variants that compile and warn alike', () => {
    fc.assert(
      fc.property(anyVariant, anyVariant, alertLists, (a, b, list) => {
        fc.pre(capabilitiesKey(a) === capabilitiesKey(b));
        const parts = { ...nothing, alerts: list };
        assert.deepEqual(compileProfile(parts, a, winter), compileProfile(parts, b, winter));
        assert.deepEqual(compileWarnings(parts, a), compileWarnings(parts, b));
      }),
    );
  });

  it('gives devices equal keys whatever the free text of their models', () => {
    const keys = ['A', 'B', null].map((model) => capabilitiesKey({ ...single, model }));
    assert.equal(new Set(keys).size, 1);
    assert.notEqual(capabilitiesKey(single), capabilitiesKey(unreported));
    assert.notEqual(capabilitiesKey(single), capabilitiesKey({ ...single, ruleSlots: 16 }));
  });
});
