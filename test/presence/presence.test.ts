import assert from 'node:assert/strict';
import {
  afterFrameContact,
  afterReportContact,
  cameOnline,
  nextDeadline,
  type Presence,
  type ReportContact,
} from '../../src/presence/presence.ts';

const NOW = new Date('2026-03-02T12:00:00.000Z');
const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000);

describe('The deadline of the next contact', () => {
  const deadline = (next: Date | null, intervalSeconds: number | null) =>
    nextDeadline(NOW, intervalSeconds, next);

  it('sets the deadline one interval, at least ten minutes, after the announced time', () => {
    assert.deepEqual(deadline(minutes(30), 3_600), minutes(90));
    assert.deepEqual(deadline(minutes(30), 60), minutes(40));
    assert.deepEqual(deadline(minutes(30), null), minutes(40));
  });

  it('sets the deadline by an announced time that has passed, within its grace', () => {
    assert.deepEqual(deadline(minutes(-9), null), minutes(1));
    assert.deepEqual(deadline(minutes(0), 3_600), minutes(60));
  });

  it('sets the deadline one interval and the grace from now without an announced time', () => {
    assert.deepEqual(deadline(null, 3_600), minutes(120));
    assert.deepEqual(deadline(null, 60), minutes(11));
  });

  it('sets no deadline when both time and interval are unknown', () =>
    assert.equal(deadline(null, null), null));

  it('ignores an announced time that is over with its grace, or more than two weeks ahead', () => {
    for (const wrong of [minutes(-60), minutes(-600), new Date('2100-01-01'), minutes(14 * 1_440 + 1)]) {
      assert.deepEqual(deadline(wrong, 3_600), minutes(120), wrong.toISOString());
      assert.equal(deadline(wrong, null), null);
    }
  });
});

const presence = (
  status: Presence['status'],
  lastContactAt: Date | null,
  expectedBy: Date | null,
): Presence => ({ status, lastContactAt, expectedBy });

const STATES = [
  presence('new', null, null),
  presence('online', minutes(-5), minutes(60)),
  presence('online', minutes(-5), null),
  presence('offline', minutes(-500), minutes(-60)),
];

describe('A frame', () => {
  const afterFrame = (before: Presence, nextTransmissionAt: Date | null = null, at = NOW) =>
    afterFrameContact(before, { at, nextTransmissionAt, intervalSeconds: 600 });

  it('makes a device online and starts a new deadline, whatever its state was', () => {
    for (const before of STATES) assert.deepEqual(afterFrame(before), presence('online', NOW, minutes(20)));
    const earlier = presence('online', NOW, minutes(600));
    assert.deepEqual(afterFrame(earlier, minutes(30)), presence('online', NOW, minutes(40)));
  });

  it('never moves the last contact back', () => {
    const { lastContactAt } = afterFrame(presence('online', minutes(1), null));
    assert.deepEqual(lastContactAt, minutes(1));
  });

  it('counts a device as back online only if it was offline', () => {
    assert.deepEqual(
      STATES.map((before) => cameOnline(before, afterFrame(before))),
      [false, false, false, true],
    );
  });
});

describe('A report', () => {
  const afterReport = (before: Presence, more: Partial<ReportContact> = {}) =>
    afterReportContact(before, { at: NOW, intervalSeconds: 3_600, hasNewInterval: false, ...more });

  it('makes a new device online, without a deadline', () => {
    assert.deepEqual(afterReport(presence('new', null, null)), presence('online', NOW, null));
  });

  it('brings an offline device back online, with a new deadline', () => {
    const before = presence('offline', minutes(-500), minutes(-60));
    assert.deepEqual(afterReport(before), presence('online', NOW, minutes(120)));
    assert.equal(cameOnline(before, afterReport(before)), true);
  });

  it('changes nothing for an online device whose interval stays the same', () => {
    const before = presence('online', minutes(-5), minutes(60));
    assert.equal(afterReport(before), before);
  });

  it('postpones the deadline when an online device reports a longer interval', () => {
    const before = presence('online', minutes(-5), minutes(60));
    assert.deepEqual(afterReport(before, { hasNewInterval: true }), { ...before, expectedBy: minutes(120) });
  });

  it('never brings a deadline forward, and sets none where there was none', () => {
    for (const expectedBy of [minutes(121), null]) {
      const before = presence('online', minutes(-5), expectedBy);
      assert.equal(afterReport(before, { hasNewInterval: true }), before);
    }
  });
});
