/**
 * A time of maintenance: readings, alerts and events go on, but nobody is notified of the alerts of an asset, or of the
 * members of a group, before it ends.
 */
import type { Actor } from '../http/audit.ts';

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
/** That statistics list of an asset. */
export const SPANS_MAX = 500;

export type MuteView = ReturnType<typeof muteView>;

export const muteView = ({ until, ...mute }: Mute) => ({ ...mute, until: until.toISOString() });

/** As MUTE_OF_ASSET and MUTE_OF_GROUP answer it, within a row. */
export type StoredMute = Omit<Mute, 'until'> & { until: string };

export const fromStored = ({ until, ...mute }: StoredMute): Mute => ({ ...mute, until: new Date(until) });
