/** A notification as text with links to the open alerts that it names. */
import { ALERT_LINK_HOURS } from './alert-link.ts';
import { aboutOf, type NotificationData } from './message.ts';

type Mentioned = NotificationData['alerts'][number];

/** Returns null where there is no page to link to. */
type LinkTo = (alertId: string) => string | null;

const OPEN: ReadonlyArray<Mentioned['change']> = ['opened', 'reminder', 'escalated'];

/** Its link acknowledges, because a mail is read by one person. Several alerts have one link. */
export function mailText(data: NotificationData, linkTo: LinkTo, linkToAll: () => string | null): string {
  const open = openAlerts(data);
  const [first] = open;
  const link = first && (open.length === 1 ? linkTo(first.alert.id) : linkToAll());
  if (!link) return data.text;
  const action = open.length === 1 ? 'See and acknowledge' : 'See them all, and acknowledge one or all,';
  return `${data.text}\n\n${action} without signing in. The link works for ${ALERT_LINK_HOURS} hours, for everybody who has it:\n\n${link}`;
}

/** Its links ask for a sign-in, because many people read along in a chat. */
export function chatText(data: NotificationData, linkTo: LinkTo): string {
  const named = openAlerts(data);
  const links = named.flatMap((each) => linkTo(each.alert.id) ?? []);
  if (links.length === 0) return data.text;
  const lines =
    named.length === 1
      ? links
      : named.map(({ assetName, alert }, index) => `${aboutOf(assetName, alert)}:\n${links[index]}`);
  return [data.text, 'See and acknowledge after signing in:', ...lines].join('\n\n');
}

/** Each alert once, although merged steps of an escalation may name it twice. */
export const openAlerts = ({ alerts }: NotificationData): Mentioned[] => [
  ...new Map(
    alerts.filter(({ change }) => OPEN.includes(change)).map((each) => [each.alert.id, each]),
  ).values(),
];
