/**
 * The link in a mail that shows one alert and acknowledges it, without signing in. It is not stored: its
 * signature covers the alert, the channel, the end and the address, so it ends when the address of the channel
 * changes.
 */
import type { AlertRef } from '../alerts/alert.ts';
import { HOUR_MS } from '../process/durations.ts';
import type { Signer } from '../process/signer.ts';
import { toAddressKey } from './mail-limits.ts';
import type { ChannelRef } from './notification-channel.ts';

export const ALERT_LINK_PATH = '/operator/alert-link';
export const ALERT_LINK_HOURS = 24;

export interface AlertLink extends AlertRef, ChannelRef {
  expiresAt: Date;
}

/** A link whose signature has not been checked. */
export interface ClaimedLink extends AlertLink {
  proof: string;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const TOKEN = new RegExp(`^(${UUID})\\.(${UUID})\\.(${UUID})\\.([1-9]\\d{0,10})\\.([A-Za-z0-9_-]{43})$`);

export const newAlertLink = (ref: AlertRef & ChannelRef, at: Date): AlertLink => ({
  ...ref,
  expiresAt: new Date(at.getTime() + ALERT_LINK_HOURS * HOUR_MS),
});

export function toAlertUrl(baseUrl: string, signer: Signer, link: AlertLink, address: string): string {
  const token = `${claimOf(link)}.${signer.sign(signedText(link, address))}`;
  return `${withoutSlash(baseUrl)}${ALERT_LINK_PATH}?token=${token}`;
}

export const toAlertPageUrl = (baseUrl: string, alertId: string): string =>
  `${withoutSlash(baseUrl)}/operator/alerts/${alertId}`;

const withoutSlash = (baseUrl: string): string => baseUrl.replace(/\/+$/, '');

export function parseAlertToken(token: string): ClaimedLink | null {
  const [, organizationId = '', alertId = '', channelId = '', until, proof = ''] = TOKEN.exec(token) ?? [];
  if (until === undefined) return null;
  return { organizationId, alertId, channelId, expiresAt: new Date(Number(until) * 1000), proof };
}

export const isSignedFor = (signer: Signer, link: ClaimedLink, address: string): boolean =>
  signer.isSigned(signedText(link, address), link.proof);

const claimOf = ({ organizationId, alertId, channelId, expiresAt }: AlertLink): string =>
  [organizationId, alertId, channelId, Math.floor(expiresAt.getTime() / 1000)].join('.');

const signedText = (link: AlertLink, address: string): string => `${claimOf(link)}.${toAddressKey(address)}`;
