/** Warnings of a dry run. */
import assert from 'node:assert/strict';
import type { ProfileSnapshot } from '../../src/profiles/compile-profile.ts';
import { compileWarnings, mergedWarnings } from '../../src/profiles/compile-warnings.ts';
import { transmissionsOf } from './device-interpreter.ts';
import { alert, double, fridge, nothing, officeHours, rulesOf, single, unreported } from './fixtures.ts';

describe('The warnings of a dry run', () => {
  const warnings = (parts: Partial<ProfileSnapshot>, capabilities = double) =>
    compileWarnings({ ...nothing, ...parts }, capabilities);

  it('gives no warnings for an ordinary profile', () => {
    const intervals = { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 18_000 };
    assert.deepEqual(warnings({ alerts: [fridge], schedule: officeHours, intervals }), []);
    assert.deepEqual(warnings({}), []);
  });

  it('warns when data would be sent less often than every 60 measurements', () => {
    const intervals = { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 18_001 };
    assert.match(
      warnings({ intervals }).join(),
      /^intervals\.transmissionIntervalSeconds is more than 60 .*18000 s/,
    );
  });

  it('warns with the number of devices whose intervals do not fit once they are merged', () => {
    const merged = (measurementPeriodBase: number, transmissionInterval?: number, deviceCount = 1) => ({
      config: { measurementPeriodBase, measurementPeriodFactor: 2, transmissionInterval },
      deviceCount,
    });
    assert.deepEqual(
      mergedWarnings([merged(30, 60), merged(30, 3_600), merged(30), { config: {}, deviceCount: 1 }]),
      [],
    );
    assert.deepEqual(
      mergedWarnings([merged(31, 61, 3), merged(31, 60), merged(30, 3_601)]).map((text) => text.slice(0, 99)),
      [
        'intervals: with the other interval that they have, 4 of these devices would transmit more often tha',
        'intervals: with the other interval that they have, 1 of these devices would transmit less often tha',
      ],
    );
  });

  it('warns when the device has no ambient channel of its own, no temperature channel, or has shown none yet', () => {
    const ambient = alert({ type: 'high', highC: 8, channel: 'ambient' });
    assert.match(
      warnings({ alerts: [fridge, ambient] }, single).join(),
      /^temperatureAlerts\[1\]\.channel: .*one/,
    );
    assert.match(
      warnings({ alerts: [ambient] }, { ...single, channelTypes: [2, 2] }).join(),
      /^temperatureAlerts cannot fire/,
    );
    assert.match(warnings({ alerts: [ambient] }, unreported).join(), /channel 1 until/);
    assert.deepEqual(warnings({ alerts: [] }, unreported), []);
  });

  it('warns when rounding leaves nothing between the bounds, or a schedule has no rules', () => {
    const point = alert({ lowC: 2.01, highC: 2.04 });
    assert.match(warnings({ alerts: [point] }).join(), /^temperatureAlerts\[0\]: .* both 2 once rounded/);
    assert.match(warnings({ alerts: [], schedule: officeHours }).join(), /^schedule has nothing to switch/);
  });

  it('warns that an alert on return alone also transmits when it starts within its bounds', () => {
    const onReturn = { ...fridge, transmitOnBreach: false };
    assert.match(
      warnings({ alerts: [onReturn] }).join(),
      /^temperatureAlerts\[0\]: with transmitOnReturn alone/,
    );
    const sent = transmissionsOf(rulesOf([onReturn]), [{ 0: 50 }]);
    assert.equal(sent.length, 1);
  });
});
