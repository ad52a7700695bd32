/** Sends one message to one channel, by mail or by the HTTP client of webhooks with all its limits. */
import type { OutgoingRequest } from '../deliveries/sender.service.ts';
import type { SecretBox } from '../endpoints/secret-box.ts';
import { serializeEvent } from '../events/event.ts';
import { conflict } from '../process/errors.ts';
import type { AlertLinks } from './alert-links.service.ts';
import { chatText, mailText } from './linked-text.ts';
import type { Mailer, SendResult } from './mailer.service.ts';
import { type Message, toSlackText } from './message.ts';
import { type ChannelAddress, NO_MAIL_SERVER, secretOwner, targetOwner } from './notification-channel.ts';
import type { SealedFields } from './notification-channels.repository.ts';
import type { DueChannel } from './notifications.repository.ts';

interface MessageSenderDeps {
  /** @throws NoTurn when no attempt was made. */
  post(request: OutgoingRequest): Promise<SendResult>;
  /** Null: there is no mail server. */
  mailer: Mailer | null;
  secretBox: SecretBox;
  alertLinks: Pick<AlertLinks, 'toUrl' | 'toPageUrl'>;
}

interface OutgoingMessage {
  /** The same on every attempt. */
  id: string;
  madeAt: Date;
  content: Message;
}

export type MessageSender = ReturnType<typeof createMessageSender>;

export function createMessageSender({ post, mailer, secretBox, alertLinks }: MessageSenderDeps) {
  async function mail(
    { organizationId, channelId, target }: ChannelAddress,
    { id, content: { subject, data } }: OutgoingMessage,
  ): Promise<SendResult> {
    if (!mailer) throw conflict(NO_MAIL_SERVER);
    const linkTo = (kind: 'alert' | 'message') => (linkedId: string) =>
      alertLinks.toUrl({ kind, id: linkedId, organizationId, channelId }, target);
    const text = mailText(data, linkTo('alert'), () => linkTo('message')(id));
    return mailer.send({ id, to: target, subject, text });
  }

  const slackBody = ({ content: { subject, data } }: OutgoingMessage): string =>
    JSON.stringify({
      text: toSlackText(`${subject}\n\n${chatText(data, alertLinks.toPageUrl)}`),
      // Names are shown as typed, whatever asterisks or underscores they hold.
      mrkdwn: false,
    });

  return {
    /** @throws when a secret cannot be opened. */
    open({ type, target, sealedTarget, secret, ...ref }: DueChannel & SealedFields): ChannelAddress {
      const { organizationId, channelId } = ref;
      return {
        organizationId,
        channelId,
        type,
        target: sealedTarget ? secretBox.open(sealedTarget, targetOwner(ref)) : target,
        secret: secret && secretBox.open(secret, secretOwner(ref)),
      };
    },
    /** @throws conflict for e-mail without a mail server. */
    send(address: ChannelAddress, message: OutgoingMessage): Promise<SendResult> {
      if (address.type === 'email') return mail(address, message);
      const { organizationId, target: url, secret } = address;
      const secrets = secret === null ? [] : [secret];
      return post({
        organizationId,
        url,
        eventId: message.id,
        body: address.type === 'slack' ? slackBody(message) : webhookBody(message),
        secrets,
      });
    },
  };
}

const webhookBody = ({ content: { data }, madeAt }: OutgoingMessage): string =>
  serializeEvent({ type: 'notification', timestamp: madeAt, data });
