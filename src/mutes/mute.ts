/**
 * A time of maintenance of an asset or of the members of a group, which may begin later: readings, alerts and
 * events continue, but notifications of the alerts wait until it ends.
 */
import type { Actor } from '../db/transaction.ts';

export interface Mute {
  /** In the future: it is planned. */
  from: Date;
  until: Date;
  reason: string;
  by: Actor;
  /** The group that is muted; null: the asset alone. */
  groupId: string | null;
}

/** A request for a mute; without `from` it begins at once. */
export type NewMute = Pick<Mute, 'until' | 'reason' | 'by'> & { from?: Date };

export type MuteTarget = { organizationId: string } & ({ assetId: string } | { groupId: string });

export const MUTE_DAYS_MAX = 30;
export const REASON_MAX = 500;
/** Number of spans per asset in statistics. */
export const SPANS_MAX = 500;

export type MuteView = ReturnType<typeof muteView>;

export const muteView = ({ from, until, ...mute }: Mute) => ({
  ...mute,
  from: from.toISOString(),
  until: until.toISOString(),
});

export const isPlanned = ({ from }: { from: Date | string }, now: Date): boolean => new Date(from) > now;

/** A mute as MUTE_OF_ASSET and MUTE_OF_GROUP return it, within a row. */
export type StoredMute = Omit<Mute, 'from' | 'until'> & { from: string; until: string };

export const fromStored = ({ from, until, ...mute }: StoredMute): Mute => ({
  ...mute,
  from: new Date(from),
  until: new Date(until),
});
