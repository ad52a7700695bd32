/** Times as the script of the pages writes them. */
import assert from 'node:assert/strict';

interface Times {
  timeText(at: Date, ms: number, kind: string | undefined): string;
  toClock(at: Date): string;
}

const { timeText, toClock }: Times = await import(
  new URL('../../src/operator/static/times.mjs', import.meta.url).href
);
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
