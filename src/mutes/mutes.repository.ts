import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Actor } from '../db/transaction.ts';
import { type Mute, type MuteTarget, type NewMute, SPANS_MAX } from './mute.ts';
import { LIST_SPANS } from './mutes.statements.ts';

interface MuteRow {
  organization_id: string;
  id: string;
  asset_id: string | null;
  group_id: string | null;
  starts_at: Date;
  ends_at: Date;
  reason: string;
  actor: Actor;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    mutes: MuteRow;
  }
}

const toMute = (row: MuteRow): Mute => ({
  from: row.starts_at,
  until: row.ends_at,
  reason: row.reason,
  by: row.actor,
  groupId: row.group_id,
});

const toColumns = ({ organizationId, ...target }: MuteTarget) => ({
  organization_id: organizationId,
  ...('assetId' in target ? { asset_id: target.assetId } : { group_id: target.groupId }),
});

/** A mute that runs or is planned, of an asset or of a group. */
export type CurrentMute = Mute & { assetId: string | null };

interface MutedSpan {
  from: Date;
  to: Date;
  reason: string;
}

export type MutesRepository = ReturnType<typeof createMutesRepository>;

export function createMutesRepository(sql: Database) {
  // Uses the clock of the statement: a transaction that has waited for the asset or the group may have begun
  // before the mute that it finds.
  const now = sql.raw("date_trunc('milliseconds', clock_timestamp())");
  const current = (target: MuteTarget) => sql('mutes').where(toColumns(target)).where('ends_at', '>', now);

  return {
    /** The mute that runs or is planned: there is one at most. */
    async find(target: MuteTarget): Promise<Mute | null> {
      const row = await current(target).first();
      return row ? toMute(row) : null;
    },

    /** The earliest end first. */
    async listCurrent(organizationId: string, limit: number): Promise<CurrentMute[]> {
      const rows = await sql('mutes')
        .where({ organization_id: organizationId })
        .where('ends_at', '>', now)
        .orderBy('ends_at')
        .limit(limit);
      return rows.map((row) => ({ ...toMute(row), assetId: row.asset_id }));
    },

    /**
     * The caller has locked the asset or the group, and ended an earlier mute at `endedAt`, where the new one goes on.
     * Its end may have passed meanwhile.
     */
    async insert(
      target: MuteTarget,
      { from, until, reason, by }: NewMute,
      endedAt: Date | null,
    ): Promise<Mute> {
      const startsAt = sql.raw('least(greatest(?::timestamptz, ?::timestamptz), ?::timestamptz)', [
        endedAt ?? now,
        from ?? null,
        until,
      ]);
      const [row] = await sql('mutes')
        .insert({ ...toColumns(target), starts_at: startsAt, ends_at: until, reason, actor: by })
        .returning('*');
      return toMute(row as MuteRow);
    },

    /** Returns the end that the mute was to have, and its end now; null: there was none. A planned one keeps no time. */
    async end(target: MuteTarget): Promise<{ until: Date; endedAt: Date } | null> {
      const row = await current(target).first('id', 'ends_at', { now }).forUpdate();
      if (!row) return null;
      await sql('mutes')
        .where({ organization_id: target.organizationId, id: row.id })
        .update({ starts_at: sql.raw('least(starts_at, ?)', [row.now]), ends_at: row.now });
      return { until: row.ends_at, endedAt: row.now };
    },

    /** The latest spans of one asset, oldest first; they may reach beyond the given span. */
    async listSpans(
      organizationId: string,
      assetId: string,
      span: { from: Date; to: Date },
    ): Promise<MutedSpan[]> {
      const bindings = { organizationId, assetId, ...span, limit: SPANS_MAX };
      return (await query<MutedSpan>(sql, LIST_SPANS, bindings)).toReversed();
    },
  };
}
