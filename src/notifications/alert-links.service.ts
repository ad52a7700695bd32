/** Makes the links of mails to alerts, and checks those that come back. */
import type { Signer } from '../process/signer.ts';
import {
  type AlertLink,
  isSignedFor,
  type LinkTarget,
  newAlertLink,
  parseAlertToken,
  toAlertUrl,
} from './alert-link.ts';
import type { NamedChannel } from './notification-channel.ts';

interface AlertLinksDeps {
  signer: Signer;
  /** Null: there is no page to link to. */
  baseUrl: string | null;
  /** Channels that messages may be sent to. */
  listActive(organizationId: string, ids: string[]): Promise<NamedChannel[]>;
  now(): Date;
}

/** A link that works, and the address that it was sent to. */
export interface WorkingLink extends AlertLink {
  address: string;
}

export type AlertLinks = ReturnType<typeof createAlertLinks>;

export function createAlertLinks({ signer, baseUrl, listActive, now }: AlertLinksDeps) {
  return {
    /** Null: there is no page to link to. */
    toUrl: (target: LinkTarget, address: string): string | null =>
      baseUrl && toAlertUrl(baseUrl, signer, newAlertLink(target, now()), address),

    /** The page of an alert, which asks for a sign-in. Null: there is none. */
    toPageUrl: (alertId: string): string | null => baseUrl && `${baseUrl}/operator/alerts/${alertId}`,

    /** Null: it was not made here, has expired, or its channel may no longer be notified at that address. */
    async find(kind: LinkTarget['kind'], token: string): Promise<WorkingLink | null> {
      const claimed = parseAlertToken(kind, token);
      if (!claimed || claimed.expiresAt <= now()) return null;
      const [channel] = await listActive(claimed.organizationId, [claimed.channelId]);
      if (channel?.type !== 'email' || !isSignedFor(signer, claimed, channel.target)) return null;
      const { proof, ...link } = claimed;
      return { ...link, address: channel.target };
    },
  };
}
