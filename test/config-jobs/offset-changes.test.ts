import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nextOffsetCheckAt } from '../../src/config-jobs/daylight-saving.service.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { deviceTimezoneMinutes } from '../../src/profiles/compile-schedule.ts';

const DAYS_30_MS = 30 * 24 * 60 * MINUTE_MS;
const ZONES = [
  'Europe/Stockholm',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Tokyo',
  'America/Santiago',
];

describe('The next check of the offset of a time zone', () => {
  it('finds the first minute of summer time and of winter time', () => {
    const check = (at: string) => nextOffsetCheckAt('Europe/Stockholm', new Date(at)).toISOString();
    assert.equal(check('2026-03-20T12:34:56Z'), '2026-03-29T01:00:00.000Z');
    assert.equal(check('2026-03-29T00:59:59Z'), '2026-03-29T01:00:00.000Z');
    assert.equal(check('2026-10-20T00:00:00Z'), '2026-10-25T01:00:00.000Z');
  });

  it('comes within 30 days, and never after the next change of the offset', () => {
    const moment = fc.date({
      min: new Date('2026-01-01'),
      max: new Date('2030-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        moment,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (zone, at, share) => {
          const check = nextOffsetCheckAt(zone, at);
          const aheadMs = check.getTime() - at.getTime();
          assert.ok(aheadMs > 0 && aheadMs <= DAYS_30_MS);
          const between = new Date(at.getTime() + share * (aheadMs - MINUTE_MS));
          const offset = deviceTimezoneMinutes(zone, at);
          if (between >= at) assert.equal(deviceTimezoneMinutes(zone, between), offset);
        },
      ),
      { numRuns: 50 },
    );
  });
});
