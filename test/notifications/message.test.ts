/** The text of a notification. */
import assert from 'node:assert/strict';
import type { Alert } from '../../src/alerts/alert.ts';
import {
  composeMessage,
  type MentionedAlert,
  NAMED_MAX,
  toSlackText,
} from '../../src/notifications/message.ts';

const AT = new Date('2026-03-02T08:15:30Z');
const alert = (more: Partial<Alert> = {}): Alert => ({
  id: '019cb0a8-2f1c-7d3e-9a44-6b1f0c2d3e4f',
  assetId: '019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27',
  serialNumber: '282C02424EED',
  type: 'high_temp',
  severity: 'critical',
  status: 'new',
  details: { channel: 1, value: 8.6, bounds: { lowC: 2, highC: 8, hysteresisC: 0.5 } },
  startedAt: AT,
  updatedAt: AT,
  acknowledgedAt: null,
  acknowledgedBy: null,
  assignee: null,
  snoozeUntil: null,
  muted: false,
  late: false,
  endedAt: null,
  extreme: null,
  escalation: null,
  ...more,
});
const opened = (more: Partial<Alert> = {}, assetName = 'Cold room'): MentionedAlert => ({
  kind: 'opened',
  alert: { ...alert(more), assetName, channelTypes: [1, 2, 1], model: null },
});
/** With joiners, a mark of direction, tags and a visible format character. */
const TYPED = ['👨‍👩‍👧 Canteen', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 Depot', 'می\u200cخواهم', 'क्\u200dष', 'ثلاجة\u200f (1)', '\u06dd١ یخچال'];
const NONE = { opened: 0, reminder: 0, resolved: 0, late: 0 };

describe('A notification', () => {
  it('names the place, its fault and the start', () => {
    const { subject, data } = composeMessage([opened()], { ...NONE, opened: 1 });
    assert.equal(subject, 'New alert: Cold room, too warm');
    assert.equal(
      data.text,
      'New alerts:\n- Cold room (282C02424EED): too warm, 8.6 °C on ambient (channel 1), above 8 °C, since 2026-03-02 08:15 UTC',
    );
  });

  it('describes an excursion in late data by its begin, its end and its extreme', () => {
    const [startedAt, endedAt] = [AT, new Date('2026-03-02T09:00:00Z')];
    const extreme = { value: 12.5, at: '2026-03-02T08:30:00.000Z' };
    const late: MentionedAlert = {
      ...opened({ status: 'resolved', late: true, startedAt, endedAt, extreme }),
      kind: 'late',
    };
    const { subject, data } = composeMessage([late], { ...NONE, late: 1 });
    assert.equal(subject, 'Over already: Cold room, too warm');
    assert.equal(
      data.text,
      'Over already:\n- Cold room (282C02424EED): too warm, 8.6 °C on ambient (channel 1), above 8 °C, from 2026-03-02 08:15 UTC to 2026-03-02 09:00 UTC, up to 12.5 °C',
    );
  });

  it('names twenty alerts of ten thousand, counts the rest, and stays below the limit of a body', () => {
    const named = Array.from({ length: NAMED_MAX }, () => opened({}, 'Ä'.repeat(128)));
    const { subject, data } = composeMessage(named, { ...NONE, opened: 10_000 });
    assert.equal(subject, `10000 new alerts: ${'Ä'.repeat(59)}…, too warm, and 9999 more`);
    assert.ok(Buffer.byteLength(JSON.stringify(data)) < 19_500);
    const short = Array.from({ length: NAMED_MAX }, () => opened());
    assert.match(composeMessage(short, { ...NONE, opened: 10_000 }).data.text, /and 9980 more$/);
  });

  it('names in its text the alerts of its data, however long their names are, and counts the others', () => {
    for (const name of ['冷蔵庫'.repeat(42), 'Ä'.repeat(128), 'Cold room']) {
      const named = Array.from({ length: NAMED_MAX }, () => opened({ assignee: name }, name));
      const { data } = composeMessage(named, { ...NONE, opened: 30 });
      const count = data.alerts.length;
      assert.equal(data.text.match(/282C02424EED/g)?.length, count);
      assert.ok(data.text.endsWith(`and ${30 - count} more`), data.text.slice(-20));
    }
  });

  it('counts alerts of which none is named', () => {
    const { subject, data } = composeMessage([], { ...NONE, opened: 3, resolved: 1 });
    assert.deepEqual([subject, data.text], ['3 new alerts, 1 over', '3 new alerts, 1 over']);
  });

  it('separates new, open and ended alerts', () => {
    const mentions: MentionedAlert[] = [
      opened({ type: 'low_battery', details: {} }),
      { ...opened({ type: 'sensor_error', details: { channel: 2, error: 3 } }), kind: 'reminder' },
      { ...opened({ type: 'no_data', details: { expectedBy: AT.toISOString() } }), kind: 'resolved' },
    ];
    const { subject, data } = composeMessage(mentions, { ...NONE, opened: 1, reminder: 1, resolved: 1 });
    assert.equal(subject, '1 new alert, 1 still open, 1 over: Cold room, low battery, and 2 more');
    assert.match(
      data.text,
      /^New alerts:\n.*low battery.*\n\nStill open:\n.*sensor error 3 on channel 2.*\n\nOver:\n.*no contact/,
    );
  });

  it('states that an alert was ended by its schedule, and not by the temperature', () => {
    const details = { channel: 1, value: 8.6, bounds: { lowC: 2, highC: 8, hysteresisC: 0.5 } };
    const ended = opened({ status: 'resolved', details: { ...details, resolution: 'outside_schedule' } });
    assert.match(
      composeMessage([{ ...ended, kind: 'resolved' }], { ...NONE, resolved: 1 }).data.text,
      /^Over:\n.*above 8 °C, ended by its schedule, since/,
    );
  });

  it('keeps names from adding lines to a mail or mentions to a Slack channel', () => {
    const { subject, data } = composeMessage([opened({}, 'A\r\nBcc: b@example.com')], { ...NONE, opened: 1 });
    assert.equal(subject, 'New alert: A Bcc: b@example.com, too warm');
    assert.equal(data.text.split('\n').length, 2);
    assert.equal(toSlackText('<!channel> & co'), '&lt;!channel&gt; &amp; co');
  });

  it('removes direction marks and invisible characters from names', () => {
    const subjectFor = (name: string) => composeMessage([opened({}, name)], { ...NONE, opened: 1 }).subject;
    assert.equal(subjectFor('A\u202egnp.exe\u2066'), 'New alert: Agnp.exe, too warm');
    assert.equal(subjectFor('Co\u200bld\u00ad ro\ufeffom\u2060'), 'New alert: Cold room, too warm');
  });

  it('shows emoji, and names in right-to-left and Indic scripts, as typed', () => {
    for (const name of TYPED) {
      const { subject, data } = composeMessage([opened({}, name)], { ...NONE, opened: 1 });
      assert.equal(subject, `New alert: ${name}, too warm`);
      assert.ok(data.text.includes(`- ${name} (`), name);
    }
  });
});
