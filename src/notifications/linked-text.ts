/** A notification as text with a link for each open alert that it names. */
import { ALERT_NAMES } from '../alerts/alert.ts';
import { ALERT_LINK_HOURS } from './alert-link.ts';
import { type NotificationData, toOneLine } from './message.ts';

type Mentioned = NotificationData['alerts'][number];

/** Returns null where there is no page to link to. */
type LinkTo = (alertId: string) => string | null;

const OPEN: ReadonlyArray<Mentioned['change']> = ['opened', 'reminder', 'escalated'];

/** Its links acknowledge, because a mail is read by one person. */
export const mailText = (data: NotificationData, linkTo: LinkTo): string =>
  withLinks(
    data,
    linkTo,
    `See and acknowledge without signing in. A link works for ${ALERT_LINK_HOURS} hours, for everybody who has it:`,
  );

/** Its links ask for a sign-in, because many people read along in a chat. */
export const chatText = (data: NotificationData, linkTo: LinkTo): string =>
  withLinks(data, linkTo, 'See and acknowledge after signing in:');

function withLinks({ text, alerts }: NotificationData, linkTo: LinkTo, introduction: string): string {
  const open = alerts.filter(({ change }) => OPEN.includes(change));
  // Merged steps of an escalation may name an alert twice.
  const named = [...new Map(open.map((each) => [each.alert.id, each])).values()];
  const links = named.flatMap((each) => linkTo(each.alert.id) ?? []);
  if (links.length === 0) return text;
  const lines = named.length === 1 ? links : named.map((each, index) => `${nameOf(each)}:\n${links[index]}`);
  return [text, introduction, ...lines].join('\n\n');
}

const nameOf = ({ assetName, alert }: Mentioned): string =>
  `${toOneLine(assetName)}, ${ALERT_NAMES[alert.type]}`;
