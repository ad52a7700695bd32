/**
 * Limits of e-mails per organization, which protect a stranger's mailbox from being flooded through this
 * service.
 */
import { HOUR_MS } from '../process/durations.ts';

type MailKind = 'link' | 'test' | 'notification';

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

const TESTS_PER_CHANNEL = 5;
/** Confirmation links go to people who have not agreed to anything yet. */
const LINKS_PER_CHANNEL = 5;
const LINKS_PER_MAILBOX = 5;

export const toAddressKey = (address: string): string => address.toLowerCase();

/** Most providers deliver mail for `name+tag@example.com` to `name@example.com`. */
const toMailbox = (addressKey: string): string => addressKey.replace(/\+[^@]*@/, '@');

/**
 * Milliseconds until the mail may be sent; 0: now. `sent` lists the mails of the organization in the last
 * hour, oldest first.
 */
export function mailWaitMs(mail: PlannedMail, sent: SentMail[], limits: MailLimits, now: Date): number {
  const isSameKind = ({ kind }: SentMail) => kind === mail.kind;
  const isSameChannel = ({ channelId }: SentMail) => channelId === mail.channelId;
  const isSameAddress = ({ addressKey }: SentMail) => addressKey === mail.addressKey;
  const isSameMailbox = ({ addressKey }: SentMail) => toMailbox(addressKey) === toMailbox(mail.addressKey);
  const limitsOfKind: Record<MailKind, Array<[isCounted: (each: SentMail) => boolean, max: number]>> = {
    link: [
      [isSameMailbox, LINKS_PER_MAILBOX],
      [isSameChannel, LINKS_PER_CHANNEL],
    ],
    test: [[isSameChannel, TESTS_PER_CHANNEL]],
    notification: [],
  };
  const waits = [
    waitMs(sent, limits.perOrganization, now),
    waitMs(sent.filter(isSameAddress), limits.perAddress, now),
    ...limitsOfKind[mail.kind].map(([isCounted, max]) =>
      waitMs(sent.filter(isSameKind).filter(isCounted), max, now),
    ),
  ];
  return Math.max(...waits);
}

/** Time until the number of mails in the last hour is below the limit. */
function waitMs(sent: SentMail[], max: number, now: Date): number {
  const first = sent[sent.length - max];
  return first === undefined ? 0 : Math.max(0, first.sentAt.getTime() + HOUR_MS - now.getTime());
}
