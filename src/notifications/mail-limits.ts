/** How many e-mails an organization may cause: a stranger's mailbox must not be flooded through this service. */

export type MailKind = 'link' | 'test' | 'notification';

export interface MailLimits {
  perAddress: number;
  perOrganization: number;
}

export interface PlannedMail {
  addressKey: string;
  channelId: string;
  kind: MailKind;
}

export interface SentMail extends PlannedMail {
  sentAt: Date;
}

export const HOUR_MS = 3_600_000;
const TESTS_PER_CHANNEL = 5;
const LINKS_PER_ADDRESS = 5;

export const toAddressKey = (address: string): string => address.toLowerCase();

/** Milliseconds until the mail may be sent; 0: now. `sent`: those of the organization in the last hour, oldest first. */
export function mailWaitMs(mail: PlannedMail, sent: SentMail[], limits: MailLimits, now: Date): number {
  const ofAddress = sent.filter(({ addressKey }) => addressKey === mail.addressKey);
  const waits = [
    waitMs(sent, limits.perOrganization, now),
    waitMs(ofAddress, limits.perAddress, now),
    ...(mail.kind === 'link' ? [waitMs(ofKind(ofAddress, 'link'), LINKS_PER_ADDRESS, now)] : []),
    ...(mail.kind === 'test'
      ? [
          waitMs(
            ofKind(sent, 'test').filter(({ channelId }) => channelId === mail.channelId),
            TESTS_PER_CHANNEL,
            now,
          ),
        ]
      : []),
  ];
  return Math.max(...waits);
}

const ofKind = (sent: SentMail[], kind: MailKind): SentMail[] => sent.filter((each) => each.kind === kind);

/** Until the last one that is too many is an hour old. */
function waitMs(sent: SentMail[], max: number, now: Date): number {
  const first = sent[sent.length - max];
  return first === undefined ? 0 : Math.max(0, first.sentAt.getTime() + HOUR_MS - now.getTime());
}
