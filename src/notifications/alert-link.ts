/**
 * The link in a mail that shows one alert, or all alerts of a message, and acknowledges them, without signing
 * in. It is not stored: its signature covers the alert or the message, the channel, the end and the address, so
 * it ends when the address of the channel changes.
 */
import { HOUR_MS } from '../process/durations.ts';
import type { Signer } from '../process/signer.ts';
import { ID_PATTERN } from '../process/uuid.ts';
import { toAddressKey } from './mail-limits.ts';
import type { ChannelRef } from './notification-channel.ts';

export const ALERT_LINK_PATHS = { alert: '/operator/alert-link', message: '/operator/alerts-link' } as const;
export const ALERT_LINK_HOURS = 24;

/** A link to the alert or the message with this id. */
export interface LinkTarget extends ChannelRef {
  kind: keyof typeof ALERT_LINK_PATHS;
  id: string;
}

export interface AlertLink extends LinkTarget {
  expiresAt: Date;
}

/** A link whose signature has not been checked. */
interface ClaimedLink extends AlertLink {
  proof: string;
}

const TOKEN = new RegExp(
  `^(${ID_PATTERN})\\.(${ID_PATTERN})\\.(${ID_PATTERN})\\.([1-9]\\d{0,10})\\.([A-Za-z0-9_-]{43})$`,
);

export const newAlertLink = (target: LinkTarget, at: Date): AlertLink => ({
  ...target,
  expiresAt: new Date(at.getTime() + ALERT_LINK_HOURS * HOUR_MS),
});

export function toAlertUrl(baseUrl: string, signer: Signer, link: AlertLink, address: string): string {
  const token = `${claimOf(link)}.${signer.sign(signedText(link, address))}`;
  return `${baseUrl}${ALERT_LINK_PATHS[link.kind]}?token=${token}`;
}

export function parseAlertToken(kind: AlertLink['kind'], token: string): ClaimedLink | null {
  const [, organizationId = '', id = '', channelId = '', until, proof = ''] = TOKEN.exec(token) ?? [];
  if (until === undefined) return null;
  return { kind, organizationId, id, channelId, expiresAt: new Date(Number(until) * 1000), proof };
}

export const isSignedFor = (signer: Signer, link: ClaimedLink, address: string): boolean =>
  signer.isSigned(signedText(link, address), link.proof);

const claimOf = ({ organizationId, id, channelId, expiresAt }: AlertLink): string =>
  [organizationId, id, channelId, Math.floor(expiresAt.getTime() / 1000)].join('.');

/** Without its kind, the link to an alert is the one that earlier releases have sent. */
const signedText = (link: AlertLink, address: string): string =>
  `${link.kind === 'alert' ? '' : `${link.kind}.`}${claimOf(link)}.${toAddressKey(address)}`;
