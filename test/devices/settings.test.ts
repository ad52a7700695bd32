/** Settings in force: when periods begin and end. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { DeviceConfiguration } from '../../src/devices/configuration.ts';
import { NEW_DEVICE } from '../../src/devices/device-sync.ts';
import {
  afterEnd,
  afterFrame,
  afterSync,
  type DeviceSettings,
  periodsWithin,
  type SettingsSource,
  settingsAt,
} from '../../src/devices/settings.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 8, minute));
const observed = (minute: number, receivedMinute = minute) => ({
  at: at(minute),
  receivedAt: at(receivedMinute),
  registeredAt: at(0),
});
const NOTHING: DeviceSettings = { running: null, begun: [] };
const running = (config: DeviceConfiguration) => ({
  ...NEW_DEVICE,
  reported: { config, at: at(0), hash: null },
  confirmed: config,
});
const EVERY_MINUTE = running({ measurementPeriodBase: 60, measurementPeriodFactor: 1 });
const EVERY_HOUR = running({ measurementPeriodBase: 3_600, measurementPeriodFactor: 1 });
const report = (
  known: DeviceSettings,
  [before, after]: [typeof NEW_DEVICE, typeof NEW_DEVICE],
  observation: ReturnType<typeof observed>,
  source: SettingsSource = 'report',
) => afterSync(known, before, after, { ...observation, source });
const short = ({ begun }: DeviceSettings) =>
  begun.map(({ from, measurementPeriodSeconds, source }) => [from, measurementPeriodSeconds, source]);

describe('Settings in force', () => {
  const known = report(NOTHING, [NEW_DEVICE, EVERY_MINUTE], observed(10));

  it('begins at the time of the device, but never before the registration or after the arrival', () => {
    const first = (minute: number, receivedMinute: number) =>
      short(report(NOTHING, [NEW_DEVICE, EVERY_MINUTE], observed(minute, receivedMinute)))[0]?.[0];
    assert.deepEqual([first(5, 6), first(-5, 6), first(9, 6)], [at(5), at(0), at(6)]);
  });

  it('begins at the arrival of a report with a time before the running period', () => {
    const next = report(known, [EVERY_MINUTE, EVERY_HOUR], observed(3, 20));
    assert.deepEqual(short(next), [
      [at(10), 60, 'report'],
      [at(20), 3_600, 'report'],
    ]);
  });

  it('never begins before the running period, whatever the clocks of the device and of the service show', () => {
    const minute = fc.integer({ min: 0, max: 30 });
    fc.assert(
      fc.property(minute, minute, (made, received) => {
        const next = report(known, [EVERY_MINUTE, EVERY_HOUR], observed(made, received));
        assert.ok((next.running?.from as Date) >= at(10));
      }),
    );
  });

  it('continues after an equal report, even if frames show another period than reported', () => {
    assert.equal(report(known, [EVERY_MINUTE, EVERY_MINUTE], observed(20)), known);
    const framed = afterFrame(known, 900, observed(20));
    assert.deepEqual(short(framed)[1], [at(20), 900, 'frame']);
    assert.equal(afterFrame(framed, 900, observed(25)), framed);
    assert.equal(report(framed, [EVERY_MINUTE, EVERY_MINUTE], observed(30)), framed);
  });

  it('begins with the first report, even if the settings stay the same', () => {
    const framed = afterFrame(NOTHING, 60, observed(10));
    const first = report(framed, [NEW_DEVICE, EVERY_MINUTE], observed(20));
    assert.deepEqual(short(first), [
      [at(10), 60, 'frame'],
      [at(20), 60, 'report'],
    ]);
  });

  it('ends once, and only if settings were known', () => {
    assert.equal(afterEnd(NOTHING, observed(20)), NOTHING);
    const ended = afterEnd(known, observed(20));
    assert.deepEqual(short(ended)[1], [at(20), null, null]);
    assert.equal(afterEnd(ended, observed(30)), ended);
  });

  it('returns at each moment the settings of the period around it, for any periods', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        cuts,
        fc.integer({ min: -5, max: 110 }),
        fc.integer({ min: 1, max: 40 }),
        (all, from, length) => {
          const starts = all.toSorted((a, b) => a - b);
          const periods = starts.map((start, index) => {
            const to = starts[index + 1];
            return { from: new Date(start), to: to === undefined ? null : new Date(to), start };
          });
          const span = { from, to: from + length };
          const moments = Array.from({ length }, (_, index) => from + index);
          const expected = moments.map((moment) => starts.findLast((start) => start <= moment) ?? null);
          assert.deepEqual(
            moments.map((moment) => settingsAt(periods, moment)?.start ?? null),
            expected,
          );
          assert.deepEqual(
            periodsWithin(periods, span).map(({ start }) => start),
            [...new Set(expected)].filter((start) => start !== null),
          );
        },
      ),
    );
  });
});
