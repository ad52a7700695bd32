/** The text of a mail: a notification with links. */
import assert from 'node:assert/strict';
import { ALERT_TYPES, type AlertView } from '../../src/alerts/alert.ts';
import type { NotificationData } from '../../src/notifications/message.ts';
import { mailText } from '../../src/notifications/message-sender.service.ts';

type Change = NotificationData['alerts'][number]['change'];

const mention = (id: string, change: Change, assetName = 'Cold room') => ({
  change,
  assetName,
  alert: { id, type: ALERT_TYPES[0] } as AlertView,
});
const dataOf = (...alerts: NotificationData['alerts']): NotificationData => ({
  text: 'New alerts:\n- Cold room',
  counts: { opened: 0, reminder: 0, resolved: 0, late: 0 },
  alerts,
});
const linkTo = (id: string) => `https://dms.example.com/operator/alert-link?token=${id}`;

describe('The text of a mail', () => {
  it('has the link of its only open alert alone in its line, where mail programs find it', () => {
    for (const change of ['opened', 'reminder', 'escalated'] as const)
      assert.equal(
        mailText(dataOf(mention('1', change)), linkTo),
        `New alerts:\n- Cold room\n\nSee and acknowledge without signing in. A link works for 24 hours, for everybody who has it:\n\n${linkTo('1')}`,
      );
  });

  it('names the alert above each of several links, once', () => {
    const cold = mention('1', 'escalated', 'Cold\nroom');
    const text = mailText(dataOf(cold, mention('2', 'reminder', 'Warm room'), cold), linkTo);
    assert.match(text, /:\n\nCold room, too warm:\n\S+=1\n\nWarm room, too warm:\n\S+=2$/);
  });

  it('has no link to alerts that are over, and none without a page', () => {
    const over = dataOf(mention('1', 'resolved'), mention('2', 'late'));
    assert.equal(mailText(over, linkTo), over.text);
    const open = dataOf(mention('1', 'opened'));
    assert.equal(
      mailText(open, () => null),
      open.text,
    );
  });
});
