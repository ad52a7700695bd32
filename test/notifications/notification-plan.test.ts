/** The mentions of an alert over time: a channel is gathered again and again, while alerts open and end. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type DueAlert,
  type MentionKind,
  planNotification,
} from '../../src/notifications/notification-plan.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';

interface Queued {
  dueAt: number | null;
  isNotified: boolean;
}

interface Said {
  minute: number;
  kind: MentionKind;
}

interface Life {
  opensAt: number;
  /** Minutes. */
  lasts: number;
  /** When the alert is answered. Default: never. */
  answeredAt?: number;
  /** Begin and end of the maintenance of its device. Default: none. */
  muted?: { from: number; to: number };
}

interface Rules {
  delayMinutes: number;
  reminderMinutes: number | null;
  /** Minutes in which the channel is gathered. */
  looks: number[];
}

/** The mentions of each alert. */
function simulate(lives: Life[], { delayMinutes, reminderMinutes, looks }: Rules): Said[][] {
  const said = lives.map((): Said[] => []);
  const queue = new Map<number, Queued>();
  const known = new Set<number>();
  const ends = new Set<number>();
  for (const minute of looks) {
    lives.forEach(({ opensAt, lasts }, index) => {
      if (opensAt <= minute && !known.has(index)) {
        known.add(index);
        queue.set(index, { dueAt: opensAt + delayMinutes, isNotified: false });
      }
      if (opensAt + lasts <= minute && queue.has(index)) ends.add(index);
    });
    const due = [...queue]
      .filter(([index, { dueAt }]) => ends.has(index) || (dueAt !== null && dueAt <= minute))
      .map(
        ([index, { isNotified }]): DueAlert => ({
          alertId: String(index),
          isNotified,
          isOver: ends.has(index),
          isLate: false,
          isOfMaintenance: false,
          isAcknowledged: (lives[index]?.answeredAt ?? Number.POSITIVE_INFINITY) <= minute,
          mutedUntil: mutedUntil(lives[index]?.muted, minute),
        }),
      );
    const plan = planNotification(due, { reminderMinutes }, new Date(minute * MINUTE_MS));
    for (const { alertId, kind } of plan.mentions) said[Number(alertId)]?.push({ minute, kind });
    for (const id of plan.done) {
      queue.delete(Number(id));
      ends.delete(Number(id));
    }
    for (const id of plan.acknowledged)
      queue.set(Number(id), { ...(queue.get(Number(id)) as Queued), dueAt: null });
    for (const { alertId, until } of plan.muted) {
      const queued = queue.get(Number(alertId)) as Queued;
      queue.set(Number(alertId), { ...queued, dueAt: until.getTime() / MINUTE_MS });
    }
    const dueAt = plan.nextDueAt === null ? null : plan.nextDueAt.getTime() / MINUTE_MS;
    for (const id of plan.kept) queue.set(Number(id), { dueAt, isNotified: true });
  }
  return said;
}

const mutedUntil = (muted: Life['muted'], minute: number): Date | null =>
  muted && muted.from <= minute && minute < muted.to ? new Date(muted.to * MINUTE_MS) : null;
const everyMinute = (count: number) => Array.from({ length: count }, (_, minute) => minute);
const texts = (said: Said[]) => said.map(({ minute, kind }) => `${minute} ${kind}`);

describe('Mentions of an alert on a channel', () => {
  const rules = { delayMinutes: 0, reminderMinutes: null, looks: everyMinute(100) };

  it('mentions the opening and the end', () => {
    assert.deepEqual(simulate([{ opensAt: 3, lasts: 20 }], rules).map(texts), [['3 opened', '23 resolved']]);
  });

  it('mentions nothing when the alert ends within the delay', () => {
    const lives = [
      { opensAt: 0, lasts: 9 },
      { opensAt: 0, lasts: 11 },
    ];
    assert.deepEqual(simulate(lives, { ...rules, delayMinutes: 10 }).map(texts), [
      [],
      ['10 opened', '11 resolved'],
    ]);
  });

  it('repeats the mention while the alert is open, at the interval of the reminder', () => {
    assert.deepEqual(simulate([{ opensAt: 0, lasts: 65 }], { ...rules, reminderMinutes: 30 }).map(texts), [
      ['0 opened', '30 reminder', '60 reminder', '65 resolved'],
    ]);
  });

  it('mentions only the end once an alert is answered, and nothing at all if that is before the first mention', () => {
    const lives = [
      { opensAt: 0, lasts: 95, answeredAt: 40 },
      { opensAt: 0, lasts: 95, answeredAt: 5 },
    ];
    const said = simulate(lives, { ...rules, delayMinutes: 10, reminderMinutes: 20 }).map(texts);
    assert.deepEqual(said, [['10 opened', '30 reminder', '95 resolved'], []]);
  });

  it('mentions nothing while the device is under maintenance, and catches up afterwards', () => {
    const muted = { from: 10, to: 40 };
    const lives = [
      { opensAt: 12, lasts: 50, muted },
      { opensAt: 12, lasts: 20, muted },
      { opensAt: 0, lasts: 20, muted },
      { opensAt: 0, lasts: 50, muted },
    ];
    const said = simulate(lives, { ...rules, reminderMinutes: 25 }).map(texts);
    assert.deepEqual(said, [
      ['40 opened', '62 resolved'],
      [],
      ['0 opened', '40 resolved'],
      ['0 opened', '40 reminder', '50 resolved'],
    ]);
  });

  it('mentions an excursion in late data once, and then drops it', () => {
    const late = {
      alertId: '0',
      isNotified: false,
      isOver: true,
      isLate: true,
      isOfMaintenance: false,
      isAcknowledged: false,
      mutedUntil: null,
    };
    const plan = planNotification([late], { reminderMinutes: 20 }, new Date());
    assert.deepEqual([plan.mentions, plan.done], [[{ alertId: '0', kind: 'late' }], ['0']]);
    const again = planNotification([{ ...late, isNotified: true }], { reminderMinutes: 20 }, new Date());
    assert.deepEqual(again.mentions, []);
  });

  it('begins with the opening, closes with the end, and never mentions an alert that ended before', () => {
    const life = fc.record({ opensAt: fc.nat(60), lasts: fc.integer({ min: 1, max: 300 }) });
    const looks = fc
      .uniqueArray(fc.nat(400), { minLength: 1, maxLength: 60 })
      .map((all) => all.sort((a, b) => a - b));
    fc.assert(
      fc.property(
        fc.array(life, { minLength: 1, maxLength: 8 }),
        fc.record({
          delayMinutes: fc.nat(30),
          reminderMinutes: fc.option(fc.integer({ min: 5, max: 50 })),
          looks,
        }),
        (lives, channel) => {
          const said = simulate(lives, channel);
          for (const [index, life] of lives.entries()) checkLife(life, said[index] ?? [], channel);
        },
      ),
    );
  });
});

function checkLife(
  { opensAt, lasts }: Life,
  said: Said[],
  { delayMinutes, reminderMinutes, looks }: Rules,
): void {
  const endsAt = opensAt + lasts;
  const first = looks.find((minute) => minute >= opensAt + delayMinutes || minute >= endsAt);
  const isSaid = first !== undefined && first < endsAt;
  const isEndSaid = isSaid && looks.some((minute) => minute >= endsAt);
  assert.deepEqual(said[0], isSaid ? { minute: first, kind: 'opened' } : undefined);
  assert.equal(said.filter(({ kind }) => kind === 'opened').length, isSaid ? 1 : 0);
  assert.deepEqual(said.filter(({ kind }) => kind === 'resolved').length, isEndSaid ? 1 : 0);
  if (isEndSaid) assert.equal(said.at(-1)?.kind, 'resolved');
  const open = said.filter(({ kind }) => kind !== 'resolved');
  if (reminderMinutes === null) assert.ok(open.length <= 1);
  open.slice(1).forEach(({ minute }, index) => {
    assert.ok(minute - (open[index] as Said).minute >= (reminderMinutes as number));
    assert.ok(minute < endsAt);
  });
}
