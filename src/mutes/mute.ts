/**
 * A time of maintenance of an asset or of the members of a group: readings, alerts and events continue, but
 * notifications of the alerts wait until it ends.
 */
import type { Actor } from '../db/transaction.ts';

export interface Mute {
  until: Date;
  reason: string;
  by: Actor;
  /** The group that is muted; null: the asset alone. */
  groupId: string | null;
}

export type MuteTarget = { organizationId: string } & ({ assetId: string } | { groupId: string });

export const MUTE_DAYS_MAX = 30;
export const REASON_MAX = 500;
/** Number of spans per asset in statistics. */
export const SPANS_MAX = 500;

export type MuteView = ReturnType<typeof muteView>;

export const muteView = ({ until, ...mute }: Mute) => ({ ...mute, until: until.toISOString() });

/** A mute as MUTE_OF_ASSET and MUTE_OF_GROUP return it, within a row. */
export type StoredMute = Omit<Mute, 'until'> & { until: string };

export const fromStored = ({ until, ...mute }: StoredMute): Mute => ({ ...mute, until: new Date(until) });
