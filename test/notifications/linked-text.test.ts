/** The text of a notification with links, for a mail and for a chat. */
import assert from 'node:assert/strict';
import { ALERT_TYPES, type AlertView } from '../../src/alerts/alert.ts';
import { chatText, mailText } from '../../src/notifications/linked-text.ts';
import type { NotificationData } from '../../src/notifications/message.ts';

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
const ALL = 'https://dms.example.com/operator/alerts-link?token=all';
const linkToAll = () => ALL;
const linkTo = (id: string) => `https://dms.example.com/operator/alert-link?token=${id}`;

describe('The text of a notification with links', () => {
  it('shows the link of its only open alert alone in its line, where mail programs find it', () => {
    for (const change of ['opened', 'reminder', 'escalated'] as const)
      assert.equal(
        mailText(dataOf(mention('1', change)), linkTo, linkToAll),
        `New alerts:\n- Cold room\n\nSee and acknowledge without signing in. The link works for 24 hours, for everybody who has it:\n\n${linkTo('1')}`,
      );
  });

  it('links several alerts by one link, which shows them all', () => {
    const two = dataOf(mention('1', 'escalated'), mention('2', 'reminder', 'Warm room'));
    assert.equal(
      mailText(two, linkTo, linkToAll),
      `New alerts:\n- Cold room\n\nSee them all, and acknowledge one or all, without signing in. The link works for 24 hours, for everybody who has it:\n\n${ALL}`,
    );
    const twice = mention('1', 'escalated');
    assert.ok(mailText(dataOf(twice, twice), linkTo, linkToAll).endsWith(linkTo('1')));
  });

  it('names in a chat the alert above each of several links, once', () => {
    const cold = mention('1', 'escalated', 'Cold\nroom');
    const warm = mention('2', 'reminder', 'Warm room');
    const warning = { ...warm, alert: { ...warm.alert, severity: 'warning' as const } };
    const text = chatText(dataOf(cold, warning, cold), linkTo);
    assert.match(text, /:\n\nCold room, too warm:\n\S+=1\n\nWarm room, too warm \(warning\):\n\S+=2$/);
  });

  it('says in a chat, where many read along, that its link asks for a sign-in', () => {
    assert.equal(
      chatText(dataOf(mention('1', 'opened')), linkTo),
      `New alerts:\n- Cold room\n\nSee and acknowledge after signing in:\n\n${linkTo('1')}`,
    );
  });

  it('links no alert that is over, and none without a page', () => {
    const over = dataOf(mention('1', 'resolved'), mention('2', 'late'));
    assert.equal(mailText(over, linkTo, linkToAll), over.text);
    const open = dataOf(mention('1', 'opened'));
    assert.equal(
      mailText(
        open,
        () => null,
        () => null,
      ),
      open.text,
    );
  });
});
