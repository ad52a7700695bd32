/**
 * Where people are notified of alerts: an e-mail address, a URL of Slack (or of a service that accepts the
 * same message), or a webhook. A URL of Slack is a secret, because it permits writing there, so responses
 * show only its host.
 */
import { ALERT_TYPES, type AlertType } from '../alerts/alert.ts';
import type { QuietHours } from './quiet-hours.ts';

export const CHANNEL_TYPES = ['email', 'slack', 'webhook'] as const;
export const CHANNEL_STATUSES = ['active', 'disabled'] as const;
/** Statuses in responses; unconfirmed: active once the owner of the address has confirmed it. */
export const SHOWN_STATUSES = [...CHANNEL_STATUSES, 'unconfirmed'] as const;

export const CHANNELS_MAX = 100;
export const GROUPS_MAX = 100;
export const MINUTES_MAX = 10_080;
export const NAME_MAX = 100;

export type ChannelType = (typeof CHANNEL_TYPES)[number];
type ChannelStatus = (typeof CHANNEL_STATUSES)[number];

/** Identifies a channel. */
export interface ChannelRef {
  organizationId: string;
  channelId: string;
}

/** Rules that decide which alerts are sent, and when. */
interface ChannelRules {
  alertTypes: AlertType[];
  /** Empty: all. */
  groupIds: string[];
  /** An alert that ends within this time is never notified. */
  delayMinutes: number;
  /** Null: no reminders. */
  reminderMinutes: number | null;
  quietHours: QuietHours | null;
  status: ChannelStatus;
}

export interface ChannelSettings extends ChannelRules {
  /** Shown in place of the target; null: there is none. */
  name: string | null;
  /** As shown in responses. */
  target: string;
}

export interface NotificationChannel extends ChannelSettings {
  id: string;
  type: ChannelType;
  /** False for an e-mail address that its owner has not confirmed. */
  isConfirmed: boolean;
  lastSentAt: Date | null;
  /** Error of the latest attempt; null when it succeeded. */
  lastError: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The decrypted address of a channel, for sending. */
export interface ChannelAddress extends ChannelRef {
  type: ChannelType;
  target: string;
  secret: string | null;
}

/** A channel as named in responses and texts. */
export type NamedChannel = Pick<NotificationChannel, 'id' | 'type' | 'name' | 'target'>;

export const labelOfChannel = ({ name, target }: Pick<NamedChannel, 'name' | 'target'>): string =>
  name ?? target;

/** With its type, for texts in which an address alone would say too little. */
export const nameOfChannel = ({ type, name, target }: Omit<NamedChannel, 'id'>): string =>
  name ?? `${type} ${target}`;

/**
 * A channel for readers of the Temporal UI, which holds neither addresses of people nor URLs: `email at
 * example.com`.
 */
export const placeOfChannel = ({ type, target }: Pick<NamedChannel, 'type' | 'target'>): string =>
  `${type} at ${type === 'email' ? target.slice(target.lastIndexOf('@') + 1) : new URL(target).host}`;

export type CreateChannel = Partial<ChannelRules> & {
  type: ChannelType;
  name?: string | null;
  target: string;
  secret?: string;
};
export type ChangeChannel = Partial<ChannelRules> & {
  name?: string | null;
  target?: string;
  secret?: string | null;
};

export const newChannel = ({ type, target, secret, ...rules }: CreateChannel): ChannelSettings => ({
  name: null,
  alertTypes: [...ALERT_TYPES],
  groupIds: [],
  delayMinutes: 0,
  reminderMinutes: null,
  quietHours: null,
  status: 'active',
  ...rules,
  target: shownTarget(type, target),
});

/** Absent fields stay. */
export function changedChannel(
  channel: NotificationChannel,
  { target, secret, ...rules }: ChangeChannel,
): ChannelSettings {
  return {
    ...channel,
    ...rules,
    target: target === undefined ? channel.target : shownTarget(channel.type, target),
  };
}

export const isSecretTarget = (type: ChannelType): boolean => type === 'slack';

const shownTarget = (type: ChannelType, target: string): string =>
  isSecretTarget(type) ? `${new URL(target).origin}/…` : target;

export function channelView({
  lastSentAt,
  createdAt,
  updatedAt,
  isConfirmed,
  status,
  ...channel
}: NotificationChannel) {
  return {
    ...channel,
    status: status === 'active' && !isConfirmed ? ('unconfirmed' as const) : status,
    recType: 'notification-channel',
    lastSentAt: lastSentAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** The owner that the target is encrypted for; the secret is bound to the same row under another name. */
export const targetOwner = ({ organizationId, channelId }: ChannelRef) => ({
  organizationId,
  rowId: `${channelId}:target`,
});
export const secretOwner = ({ organizationId, channelId }: ChannelRef) => ({
  organizationId,
  rowId: `${channelId}:secret`,
});

export const NO_SUCH_CHANNEL = 'No notification channel has this id';
export const CHANNELS_FULL = `There are ${CHANNELS_MAX} notification channels, the most there can be: delete one`;
export const NO_MAIL_SERVER =
  'This service has no mail server, so it sends no e-mail: the operator sets SMTP_URL';
export const NO_PUBLIC_ADDRESS =
  'This service cannot send the link that confirms an address: the operator sets OPERATOR_URL';
export const UNCONFIRMED =
  'The address is not confirmed yet: open the link that was sent there and press its button, or have it sent again with confirm-again';
export const NOT_UNCONFIRMED = 'This channel has no address that waits to be confirmed';
export const namedBy = (escalation: string): string =>
  `The escalation "${escalation}" names this channel in a step: take it out there first, or disable the channel`;

const EMAIL_LENGTH_MAX = 254;

/** One address as used in practice: no comments, quotes or address literals (RFC 5321, 4.1.2). */
const ADDRESS =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9-]{2,63}$/;

/** The fault of the address, phrased to follow the name of its field; null when it is valid. */
export function emailFault(text: string): string | null {
  if (text.length > EMAIL_LENGTH_MAX) return `must be at most ${EMAIL_LENGTH_MAX} characters long`;
  return ADDRESS.test(text) ? null : 'must be one e-mail address, such as quality@example.com';
}
