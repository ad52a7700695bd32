/** Times as the script of the pages writes them. */
import assert from 'node:assert/strict';

interface Times {
  timeText(at: Date, ms: number, kind: string | undefined): string;
  toClock(at: Date): string;
  toClockAfter(before: Date, at: Date): string;
  toFieldValue(at: Date): string;
  toUtcValue(field: { value: string; givenTime?: Date }): string;
}

const SCRIPT = new URL('../../src/operator/static/times.mjs', import.meta.url).href;
const { timeText, toClock }: Times = await import(SCRIPT);
/** Noon where the tests run, so that a minute changes no date and 23 hours do. */
const AT = new Date(2026, 2, 2, 12, 0);
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

describe('The time of a page', () => {
  it('shows the clock beside the age where both are needed, so that no pointer is, with the date of another day', () => {
    assert.equal(timeText(AT, -MINUTE_MS, 'age'), `${toClock(AT).split(', ')[1]}, 1\u00a0min.\u00a0ago`);
    assert.equal(timeText(AT, -23 * 60 * MINUTE_MS, 'age'), `${toClock(AT)}, 23\u00a0hr.\u00a0ago`);
    assert.equal(timeText(AT, -MINUTE_MS, ''), toClock(AT));
    assert.equal(timeText(AT, -MINUTE_MS, undefined), '1 min. ago');
  });

  it('shows the clock alone from a day on', () => {
    for (const kind of ['age', '', undefined]) assert.equal(timeText(AT, -DAY_MS, kind), toClock(AT));
  });
});

describe('A time that the clock of the reader shows twice', () => {
  const zoneBefore = process.env.TZ;
  const [FIRST, SECOND] = [new Date('2026-10-25T00:50Z'), new Date('2026-10-25T01:10Z')];
  let times: Times;

  before(async () => {
    process.env.TZ = 'Europe/Stockholm';
    // The script takes the zone when it is loaded.
    times = await import(`${SCRIPT}?zone=Europe/Stockholm`);
  });
  after(() => {
    if (zoneBefore === undefined) delete process.env.TZ;
    else process.env.TZ = zoneBefore;
  });

  it('has its offset from UTC, unlike other times of that night', () => {
    const { toClock, toClockAfter } = times;
    assert.equal(toClock(FIRST), '25 Oct 2026, 02:50 UTC+2');
    assert.equal(toClockAfter(FIRST, SECOND), '02:10 UTC+1');
    for (const other of ['2026-10-24T23:59Z', '2026-10-25T02:00Z'])
      assert.doesNotMatch(toClock(new Date(other)), /UTC/);
  });

  it('is sent as it was given while its text is the same, and as it is typed otherwise', () => {
    const { toFieldValue, toUtcValue } = times;
    const field = { value: toFieldValue(SECOND), givenTime: SECOND };
    assert.equal(field.value, '2026-10-25T02:10');
    assert.equal(toUtcValue(field), '2026-10-25T01:10');
    assert.equal(toUtcValue({ ...field, value: '2026-10-25T04:10' }), '2026-10-25T03:10');
    assert.equal(toUtcValue({ value: '2026-10-24T12:00' }), '2026-10-24T10:00');
  });
});
