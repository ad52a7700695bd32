/** A notification, as text for people and as data for a webhook. */
import { ALERT_NAMES, type Alert, type AlertView, alertView } from '../alerts/alert.ts';
import { channelText, type Layout } from '../devices/device-capabilities.ts';
import { withoutFormatting } from '../http/one-line.ts';
import { cutText } from '../process/cut-text.ts';
import { grouped } from '../process/grouped.ts';
import { toMinute } from '../process/iso-time.ts';
import { MENTION_KINDS, type MentionKind } from './notification-plan.ts';

/** Further alerts are only counted. */
export const NAMED_MAX = 20;

/** An alert with the name and the layout of its asset. */
export type ListedAlert = Alert & Layout & { assetName: string };

export interface MentionedAlert {
  kind: MentionKind;
  alert: ListedAlert;
}

export type MentionCounts = Record<MentionKind, number>;

export interface NotificationData {
  text: string;
  /** Counts all alerts of the notification, named or not. Only steps of escalations set `escalated`. */
  counts: MentionCounts & { escalated?: number };
  alerts: Array<{ change: MentionKind | 'escalated'; assetName: string; alert: AlertView }>;
}

/** An alert in a step of its escalation. */
interface EscalatedAlert {
  alert: ListedAlert;
  step: number;
  isRepeat: boolean;
  stepCount: number;
  /** The step follows the opening without a wait: there was no time to acknowledge the alert. */
  isAtOnce: boolean;
  /** A snooze of the alert has ended. */
  hasBeenSnoozed: boolean;
  /**
   * The overdue fleet that the alert represents, with its number of overdue devices; null: the alert
   * represents itself.
   */
  fleet: { overdue: number; total: number } | null;
}

/** A message as stored, independent of the type of its channel. */
export interface Message {
  subject: string;
  /** Device and fault in the subject, for steps of escalations; the release before did not store it. */
  about?: string;
  /** The steps that were merged into the message; the release before did not store them. */
  steps?: Message[];
  /** Ids of alerts that the message named until it was sent. */
  notSent?: string[];
  data: NotificationData;
}

/** Why a message, or an alert that it named, was not sent. */
export const NOT_SENT =
  'not sent: by then the alert was acknowledged or over, or a later message had named it';

declare module '../db/domain-event.ts' {
  interface EventTypes {
    notification: NotificationData;
  }
}

const SINGLE: Record<MentionKind, string> = {
  opened: 'New alert',
  reminder: 'Still open',
  resolved: 'Over',
  late: 'Over already',
};
const HEADINGS: Record<MentionKind, string> = { ...SINGLE, opened: 'New alerts' };
const COUNTED: Record<MentionKind, (count: number) => string> = {
  opened: (count) => (count === 1 ? '1 new alert' : `${count} new alerts`),
  reminder: (count) => `${count} still open`,
  resolved: (count) => `${count} over`,
  late: (count) => `${count} over already`,
};

/** `mentioned` are the first of the alerts in `counts`. */
export function composeMessage(mentioned: readonly MentionedAlert[], counts: MentionCounts): Message {
  const named = cutToBody(mentioned);
  const sections = MENTION_KINDS.flatMap((kind) => {
    const lines = named.filter((each) => each.kind === kind).map(({ alert }) => toLine(alert));
    return lines.length === 0 ? [] : [`${HEADINGS[kind]}:\n${lines.join('\n')}`];
  });
  const more = MENTION_KINDS.reduce((sum, kind) => sum + counts[kind], 0) - named.length;
  const subject = subjectOf(named, counts);
  if (more > 0) sections.push(named.length === 0 ? subject : `and ${more} more`);
  const text = sections.join('\n\n');
  return { subject, data: { text, counts, alerts: named.map(toData) } };
}

const toData = ({ kind, alert }: MentionedAlert) => ({
  change: kind,
  assetName: alert.assetName,
  alert: alertView(alert),
});

/** A body stays below 20 kB. */
const BODY_BYTES_MAX = 19_000;

/** The first alerts, as many as fit into the text and into the data: a link shows those that the text names. */
function cutToBody(mentioned: readonly MentionedAlert[]): readonly MentionedAlert[] {
  let left = BODY_BYTES_MAX;
  const full = mentioned.findIndex((each) => {
    left -= Buffer.byteLength(JSON.stringify([toLine(each.alert), toData(each)]));
    return left < 0;
  });
  return full === -1 ? mentioned : mentioned.slice(0, full);
}

export function composeEscalation({
  alert,
  step,
  isRepeat,
  stepCount,
  isAtOnce,
  hasBeenSnoozed,
  fleet,
}: EscalatedAlert): Message {
  const { assetName } = alert;
  const about = fleet === null ? aboutOf(assetName, alert) : describeFleet(fleet);
  const openedText = isAtOnce ? 'New alert' : 'Nobody has acknowledged this alert yet';
  const heading = hasBeenSnoozed ? 'Still open after its snooze' : openedText;
  const lines = [
    `${heading} (step ${step} of ${stepCount}${isRepeat ? ' again' : ''}):`,
    toLine(alert),
    ...(fleet === null ? [] : [`It stands for the whole fleet: ${describeFleet(fleet)}`]),
  ];
  return {
    subject: `Escalation, step ${step}: ${about}`,
    about,
    data: {
      text: lines.join('\n'),
      counts: { opened: 0, reminder: 0, resolved: 0, late: 0, escalated: 1 },
      alerts: [{ change: 'escalated', assetName, alert: alertView(alert) }],
    },
  };
}

/** Merges the first steps into one message: `count` of them, as many as fit, and at least one. */
export function mergeSteps(steps: readonly Message[]): { message: Message; count: number } {
  const sizes = steps.map(({ data }) => Buffer.byteLength(JSON.stringify(data)));
  const named = steps.map(({ data }) => data.alerts.length);
  const isRoom = (index: number) =>
    sum(sizes.slice(0, index + 1)) <= BODY_BYTES_MAX && sum(named.slice(0, index + 1)) <= NAMED_MAX;
  const full = steps.findIndex((_, index) => index > 0 && !isRoom(index));
  const merged = full === -1 ? steps : steps.slice(0, full);
  const escalated = sum(merged.map(({ data }) => data.counts.escalated ?? 0));
  const message = {
    subject: subjectOfSteps(merged),
    steps: [...merged],
    data: {
      text: joinSteps(merged.map(({ data }) => data.text)),
      counts: { opened: 0, reminder: 0, resolved: 0, late: 0, escalated },
      alerts: merged.flatMap(({ data }) => data.alerts),
    },
  };
  return { message: merged.length === 1 ? (merged[0] as Message) : message, count: merged.length };
}

/** A text begins with its heading; the same heading stands once. */
function joinSteps(texts: readonly string[]): string {
  const parts = texts.map((text) => {
    const [heading = '', ...lines] = text.split('\n');
    return { heading, lines };
  });
  return [...grouped(parts, ({ heading }) => heading)]
    .map(([heading, steps]) => [heading, ...steps.flatMap(({ lines }) => lines)].join('\n'))
    .join('\n\n');
}

/** Two steps of one alert keep the subject of the later one. */
function subjectOfSteps(steps: readonly Message[]): string {
  const count = new Set(steps.flatMap(({ data }) => data.alerts.map(({ alert }) => alert.id))).size;
  if (count === 1) return steps.at(-1)?.subject ?? '';
  const [first] = steps;
  return `${count} alerts: ${andMore(first?.about ?? first?.subject ?? '', count - 1)}`;
}

const andMore = (about: string, more: number): string => `${about}, and ${more} more`;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

const describeFleet = ({ overdue, total }: { overdue: number; total: number }): string =>
  `${overdue} of ${total} devices have missed their contact`;

export const TEST_MESSAGE: Message = {
  subject: 'A test',
  data: {
    text: 'A test, asked for through the API',
    counts: { opened: 0, reminder: 0, resolved: 0, late: 0 },
    alerts: [],
  },
};

export const CONFIRM_PATH = '/operator/confirm-address';

/** Contains no text of the person who requested the link: only the command line names organizations. */
export const linkMessage = (baseUrl: string, organizationName: string, token: string): Message => ({
  subject: 'Confirm that you want alerts of temperature loggers',
  data: {
    ...TEST_MESSAGE.data,
    text: `${toOneLine(organizationName)} wants to send alerts of its temperature loggers to this address. To agree, open this link within 24 hours and press the button:\n\n${baseUrl}${CONFIRM_PATH}?token=${token}\n\nOtherwise nothing more is sent.`,
  },
});

/** Slack reads these three characters as markup: https://docs.slack.dev/messaging/formatting-message-text */
export const toSlackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function subjectOf(named: readonly MentionedAlert[], counts: MentionCounts): string {
  const [first] = named;
  const kinds = MENTION_KINDS.filter((kind) => counts[kind] > 0);
  const counted = kinds.map((kind) => COUNTED[kind](counts[kind])).join(', ');
  if (!first) return counted;
  const about = aboutOf(first.alert.assetName, first.alert);
  const total = sum(kinds.map((kind) => counts[kind]));
  return total === 1 ? `${SINGLE[first.kind]}: ${about}` : `${counted}: ${andMore(about, total - 1)}`;
}

const toLine = (alert: ListedAlert): string =>
  `- ${toOneLine(alert.assetName)} (${alert.serialNumber}): ${describe(alert)}, ${spanOf(alert)}`;

function spanOf({ startedAt, endedAt, extreme, type }: Alert): string {
  const begin = toMinute(startedAt.toISOString());
  if (!endedAt) return `since ${begin}`;
  const span = `from ${begin} to ${toMinute(endedAt.toISOString())}`;
  return extreme ? `${span}, ${type === 'high_temp' ? 'up to' : 'down to'} ${extreme.value} °C` : span;
}

/** Device and fault in one line. */
export const aboutOf = (assetName: string, alert: Pick<Alert, 'type' | 'severity'>): string =>
  `${toOneLine(assetName)}, ${nameOf(alert)}`;

const nameOf = ({ type, severity }: Pick<Alert, 'type' | 'severity'>): string =>
  severity === 'warning' ? `${ALERT_NAMES[type]} (warning)` : ALERT_NAMES[type];

function describe(alert: ListedAlert): string {
  const { type, details } = alert;
  const name = nameOf(alert);
  if ('bounds' in details) {
    const { lowC, highC } = details.bounds;
    const bound = type === 'high_temp' ? `above ${highC}` : `below ${lowC}`;
    const ended = details.resolution === 'outside_schedule' ? ', ended by its schedule' : '';
    return `${name}, ${details.value} °C on ${channelText(details.channel, alert)}, ${bound} °C${ended}`;
  }
  if ('error' in details) return `${name} ${details.error} on ${channelText(details.channel, alert)}`;
  return name;
}

const NAME_LENGTH_MAX = 60;

/** Short enough to keep a message below the 20 kB of an event. */
function toOneLine(name: string): string {
  return cutText(withoutFormatting(name.replace(/\p{Cc}+/gu, ' ')), NAME_LENGTH_MAX, '…');
}
