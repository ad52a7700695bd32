/** Sends one message to one channel, by mail or by the HTTP client of webhooks with all its limits. */
import { ALERT_NAMES } from '../alerts/alert.ts';
import type { OutgoingRequest } from '../deliveries/sender.service.ts';
import type { SecretBox } from '../endpoints/secret-box.ts';
import { serializeEvent } from '../events/event.ts';
import { conflict } from '../process/errors.ts';
import { ALERT_LINK_HOURS } from './alert-link.ts';
import type { AlertLinks } from './alert-links.service.ts';
import type { Mailer, SendResult } from './mailer.service.ts';
import { type Message, type NotificationData, toOneLine, toSlackText } from './message.ts';
import {
  type ChannelAddress,
  type ChannelRef,
  type ChannelType,
  NO_MAIL_SERVER,
  secretOwner,
  targetOwner,
} from './notification-channel.ts';
import type { SealedFields } from './notification-channels.repository.ts';

export interface MessageSenderDeps {
  /** @throws NoTurn when no attempt was made. */
  post(request: OutgoingRequest): Promise<SendResult>;
  /** Null: there is no mail server. */
  mailer: Mailer | null;
  secretBox: SecretBox;
  /** Only mails have links, because many people read along in a chat. */
  alertLinks: Pick<AlertLinks, 'toUrl'>;
}

export interface OutgoingMessage {
  /** The same on every attempt. */
  id: string;
  madeAt: Date;
  content: Message;
}

export interface MessageSender {
  /** @throws when a secret cannot be opened. */
  open(channel: ChannelRef & SealedFields & { type: ChannelType; target: string }): ChannelAddress;
  /** @throws conflict for e-mail without a mail server. */
  send(address: ChannelAddress, message: OutgoingMessage): Promise<SendResult>;
}

export function createMessageSender({
  post,
  mailer,
  secretBox,
  alertLinks,
}: MessageSenderDeps): MessageSender {
  async function mail(
    { organizationId, channelId, target }: ChannelAddress,
    { id, content: { subject, data } }: OutgoingMessage,
  ): Promise<SendResult> {
    if (!mailer) throw conflict(NO_MAIL_SERVER);
    const text = mailText(data, (alertId) =>
      alertLinks.toUrl({ organizationId, channelId, alertId }, target),
    );
    return mailer.send({ id, to: target, subject, text });
  }

  return {
    open: ({ organizationId, channelId, type, target, sealedTarget, secret }) => ({
      organizationId,
      channelId,
      type,
      target: sealedTarget
        ? secretBox.open(sealedTarget, targetOwner({ organizationId, channelId }))
        : target,
      secret: secret && secretBox.open(secret, secretOwner({ organizationId, channelId })),
    }),
    send(address, message) {
      if (address.type === 'email') return mail(address, message);
      const { organizationId, target: url, secret } = address;
      const secrets = secret === null ? [] : [secret];
      return post({
        organizationId,
        url,
        eventId: message.id,
        body: bodyFor(address.type, message),
        secrets,
      });
    },
  };
}

function bodyFor(type: 'slack' | 'webhook', { content, madeAt }: OutgoingMessage): string {
  const { subject, data } = content;
  if (type === 'slack') return JSON.stringify({ text: toSlackText(`${subject}\n\n${data.text}`) });
  return serializeEvent({ type: 'notification', timestamp: madeAt, data });
}

type Mentioned = NotificationData['alerts'][number];

const OPEN: ReadonlyArray<Mentioned['change']> = ['opened', 'reminder', 'escalated'];

/** The notification, and a link for each open alert that it names. `linkTo` returns null where there is no page to link to. */
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
