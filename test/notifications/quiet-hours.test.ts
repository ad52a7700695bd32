/** Quiet hours, against a search minute by minute. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type QuietHours, quietUntil } from '../../src/notifications/quiet-hours.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';

const NIGHT = { from: '22:00', to: '07:00', timezone: 'Europe/Stockholm' };

const formats = new Map<string, Intl.DateTimeFormat>();

function wallTime(at: Date, timeZone: string): string {
  const known = formats.get(timeZone);
  if (known) return known.format(at);
  const options = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  formats.set(timeZone, new Intl.DateTimeFormat('en-GB', options));
  return wallTime(at, timeZone);
}

function isQuiet({ from, to, timezone }: QuietHours, at: Date): boolean {
  const time = wallTime(at, timezone);
  return from < to ? time >= from && time < to : time >= from || time < to;
}

const until = (quietHours: QuietHours | null, at: string) =>
  quietUntil(quietHours, new Date(at))?.toISOString() ?? null;

describe('Quiet hours', () => {
  it('ends at the last minute, on the next day when past midnight', () => {
    assert.equal(until(NIGHT, '2026-01-10T20:59:59Z'), null);
    assert.equal(until(NIGHT, '2026-01-10T21:00:00Z'), '2026-01-11T06:00:00.000Z');
    assert.equal(until(NIGHT, '2026-01-11T05:59:59Z'), '2026-01-11T06:00:00.000Z');
    assert.equal(until(NIGHT, '2026-01-11T06:00:00Z'), null);
    assert.equal(until(null, '2026-01-11T00:00:00Z'), null);
  });

  it('ends at the last minute when that is on the same day', () => {
    const noon = { ...NIGHT, from: '12:00', to: '13:30' };
    assert.equal(until(noon, '2026-01-10T10:59:59Z'), null);
    assert.equal(until(noon, '2026-01-10T11:00:00Z'), '2026-01-10T12:30:00.000Z');
    assert.equal(until(noon, '2026-01-10T12:29:59Z'), '2026-01-10T12:30:00.000Z');
    assert.equal(until(noon, '2026-01-10T12:30:00Z'), null);
  });

  it('lasts an hour less or more in nights with a clock change', () => {
    assert.equal(until(NIGHT, '2026-03-28T22:00:00Z'), '2026-03-29T05:00:00.000Z');
    assert.equal(until(NIGHT, '2026-10-24T21:00:00Z'), '2026-10-25T06:00:00.000Z');
  });

  it('ends with the skip when the clocks skip the time of the end', () => {
    const untilHalf = { ...NIGHT, to: '02:30' };
    assert.equal(until(untilHalf, '2026-03-28T22:00:00Z'), '2026-03-29T01:00:00.000Z');
    assert.equal(until(untilHalf, '2026-03-29T00:59:59Z'), '2026-03-29T01:00:00.000Z');
    const onLordHowe = { ...untilHalf, to: '02:15', timezone: 'Australia/Lord_Howe' };
    assert.equal(until(onLordHowe, '2026-10-03T12:00:00Z'), '2026-10-03T15:30:00.000Z');
    const inSantiago = { ...untilHalf, to: '00:30', timezone: 'America/Santiago' };
    assert.equal(until(inSantiago, '2026-09-06T02:00:00Z'), '2026-09-06T04:00:00.000Z');
  });

  it('ends in the first minute that is not quiet, in any zone and on any day', () => {
    const time = (min: number, max: number) =>
      fc
        .tuple(fc.integer({ min, max }), fc.constantFrom('00', '15', '59'))
        .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`);
    const timezone = fc.constantFrom(
      'Europe/Stockholm',
      'America/New_York',
      'Asia/Kolkata',
      'Pacific/Chatham',
    );
    // Times that occur once a day: clocks change between midnight and four in these zones.
    const quietHours = fc
      .record({ from: time(5, 23), to: time(5, 22), timezone })
      .filter(({ from, to }) => from !== to);
    const minutes = fc.integer({ min: 0, max: 2 * 366 * 1_440 });
    fc.assert(
      fc.property(quietHours, minutes, (hours, minute) => {
        const at = new Date(Date.UTC(2026, 0, 1) + minute * MINUTE_MS);
        let end = at;
        while (isQuiet(hours, end)) end = new Date(end.getTime() + MINUTE_MS);
        assert.equal(quietUntil(hours, at)?.getTime() ?? null, end > at ? end.getTime() : null);
      }),
      { numRuns: 100 },
    );
  });
});
