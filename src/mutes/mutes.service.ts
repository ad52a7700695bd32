/** Begins and ends times of maintenance. */
import type { Database } from '../db/database.ts';
import type { Transaction } from '../db/transaction.ts';
import { isSoonAfter } from '../process/durations.ts';
import { conflict, invalid, notFound } from '../process/errors.ts';
import { isPlanned, MUTE_DAYS_MAX, type Mute, type MuteTarget, type NewMute } from './mute.ts';
import type { MutesRepository } from './mutes.repository.ts';

export interface MutesServiceDeps {
  mutesIn(sql: Database): Pick<MutesRepository, 'find' | 'insert' | 'end'>;
  /** Locks the active asset or the group until the transaction ends; false when there is none. */
  lock(sql: Database, target: MuteTarget): Promise<boolean>;
  /**
   * Called in the transaction when a mute ends early: notifications postponed to `postponedUntil` are due again.
   */
  onMuteEnded(tx: Transaction, organizationId: string, postponedUntil: Date): Promise<void>;
  now(): Date;
}

const MUTE_MS_MAX = MUTE_DAYS_MAX * 86_400_000;
const MUTED_NOW = 'It is muted now: end that first, or leave from out, so that the new mute begins at once';
const NOT_MUTED = 'It is not muted; what its group mutes is ended there';

export type MutesService = ReturnType<typeof createMutesService>;

export function createMutesService({ mutesIn, lock, onMuteEnded, now }: MutesServiceDeps) {
  function requireSoon({ from, until }: NewMute): void {
    if (from && !isSoonAfter(from, now(), MUTE_MS_MAX))
      throw invalid(
        `from must be in the future, at most ${MUTE_DAYS_MAX} days ahead; leave it out to begin now`,
      );
    if (!isSoonAfter(until, from ?? now(), MUTE_MS_MAX))
      throw invalid(
        `until must be ${from ? 'after its beginning' : 'in the future'}, at most ${MUTE_DAYS_MAX} days ${from ? 'later' : 'ahead'}`,
      );
  }

  /**
   * Returns when the mute ended; null: there was none. Notifications and escalations that waited for its end are
   * decided again.
   */
  async function endCurrent(tx: Transaction, target: MuteTarget): Promise<Date | null> {
    const ended = await mutesIn(tx.sql).end(target);
    if (ended) await onMuteEnded(tx, target.organizationId, ended.until);
    return ended?.endedAt ?? null;
  }

  return {
    /**
     * Replaces a mute that runs or is planned.
     * @throws not found when there is no such asset or group, invalid for times in the past or too far ahead,
     * conflict when a planned mute would end one that runs.
     */
    async begin(
      tx: Transaction,
      target: MuteTarget,
      asked: NewMute,
    ): Promise<{ mute: Mute; isNew: boolean }> {
      requireSoon(asked);
      if (!(await lock(tx.sql, target))) throw notFound(noSuch(target));
      if (asked.from) {
        const current = await mutesIn(tx.sql).find(target);
        if (current && !isPlanned(current, now())) throw conflict(MUTED_NOW);
      }
      const endedAt = await endCurrent(tx, target);
      return { mute: await mutesIn(tx.sql).insert(target, asked, endedAt), isNew: endedAt === null };
    },

    /** @throws not found when there is none. */
    async end(tx: Transaction, target: MuteTarget): Promise<void> {
      if (!(await lock(tx.sql, target))) throw notFound(noSuch(target));
      if (!(await endCurrent(tx, target))) throw notFound(NOT_MUTED);
    },

    /** Without an error when there is none. */
    endAny: async (tx: Transaction, target: MuteTarget): Promise<void> => void (await endCurrent(tx, target)),

    /** Notifies of members that have left a muted group again. */
    async onMembersLeft(tx: Transaction, organizationId: string, groupIds: string[]): Promise<void> {
      for (const groupId of groupIds) {
        const mute = await mutesIn(tx.sql).find({ organizationId, groupId });
        if (mute) await onMuteEnded(tx, organizationId, mute.until);
      }
    },
  };
}

const noSuch = (target: MuteTarget): string =>
  'assetId' in target ? 'No asset has this id' : 'No group has this id';
