/** The text of a mail: the notification, and a link for each open alert that it names. */
import { ALERT_NAMES } from '../alerts/alert.ts';
import { ALERT_LINK_HOURS } from './alert-link.ts';
import { type NotificationData, toOneLine } from './message.ts';

type Mentioned = NotificationData['alerts'][number];

const OPEN: ReadonlyArray<Mentioned['change']> = ['opened', 'reminder', 'escalated'];

/** `linkTo` returns null where there is no page to link to. */
export function mailText(
  { text, alerts }: NotificationData,
  linkTo: (alertId: string) => string | null,
): string {
  const open = alerts.filter(({ change }) => OPEN.includes(change));
  // Merged steps of an escalation may name an alert twice.
  const named = [...new Map(open.map((each) => [each.alert.id, each])).values()];
  const links = named.flatMap((each) => linkTo(each.alert.id) ?? []);
  if (links.length === 0) return text;
  const lines = named.length === 1 ? links : named.map((each, index) => `${nameOf(each)}:\n${links[index]}`);
  return [text, INTRODUCTION, ...lines].join('\n\n');
}

const INTRODUCTION = `See and acknowledge without signing in. A link works for ${ALERT_LINK_HOURS} hours, for everybody who has it:`;

const nameOf = ({ assetName, alert }: Mentioned): string =>
  `${toOneLine(assetName)}, ${ALERT_NAMES[alert.type]}`;
