/** Reads and rewrites the blocks of devices, whose rows are locked against frames meanwhile. */
import { toArrayText } from '../db/array-text.ts';
import type { Sql } from '../db/database.ts';
import { eachOrganization, oneOrNone } from '../db/each-organization.ts';
import { query } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import {
  ANY_SPAN,
  type AssetBlock,
  BLOCK_COLUMNS,
  BLOCK_FIELDS,
  type BlockRow,
  blockBindings,
  blockOf,
  SELECT_BLOCKS,
  SPANS,
} from './block-columns.ts';
import type { CompactionWindow, DueDevice } from './compaction.ts';

export type CompactionRepository = ReturnType<typeof createCompactionRepository>;

/** An arbitrary number that nothing else uses. */
const LOCK = 714_201_119;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export function createCompactionRepository(sql: Sql) {
  return {
    /** Until the end of the transaction; false while another process compacts. */
    async lockCompaction(): Promise<boolean> {
      const [row] = await query<{ isLocked: boolean }>(
        sql,
        'select pg_try_advisory_xact_lock(?) as "isLocked"',
        [LOCK],
      );
      return row?.isLocked ?? false;
    },

    /**
     * Devices of all organizations with uncompacted readings before the time, the longest waiting first, after the given
     * one. A device that is sending is left for the next time.
     */
    async lockDue(before: Date, after: DueDevice | null, limit: number): Promise<DueDevice[]> {
      const bindings = [
        before.toISOString(),
        after?.from.toISOString() ?? '-infinity',
        after?.assetId ?? FIRST_ID,
      ];
      const due = {
        text: `select distinct organization_id as "organizationId" from device_states
          where uncompacted_from < ?::timestamptz and (uncompacted_from, asset_id) > (?::timestamptz, ?::uuid)`,
        bindings,
      };
      const locked = await eachOrganization(sql, due, (organizationId) => {
        const own = organizationId === null ? '' : 'organization_id = ? and';
        return query<DueDevice>(
          sql,
          `select organization_id as "organizationId", asset_id as "assetId", uncompacted_from as "from"
         from device_states
         where ${own} uncompacted_from < ?::timestamptz
           and (uncompacted_from, asset_id) > (?::timestamptz, ?::uuid)
         order by uncompacted_from, asset_id limit ?
         for no key update skip locked`,
          [...oneOrNone(organizationId), ...bindings, limit],
        );
      });
      return locked.sort(byTurn).slice(0, limit);
    },

    async listBlocks(windows: CompactionWindow[]): Promise<AssetBlock[]> {
      const rows = await query<BlockRow & AssetRef>(
        sql,
        `select n.organization_id as "organizationId", n.asset_id as "assetId", b.*
         from unnest(?::uuid[], ?::uuid[], ?::timestamptz[], ?::timestamptz[])
           as n (organization_id, asset_id, from_at, before_at)
         cross join lateral (
           select ${BLOCK_FIELDS} from measurement_blocks
           where organization_id = n.organization_id and asset_id = n.asset_id
             and ${ANY_SPAN} and last_at >= n.from_at and last_at < n.before_at
           -- Looked up for each device: joined freely, it might read whole partitions.
           offset 0
         ) as b`,
        [...keyBindings(windows), times(windows, 'from'), times(windows, 'before')],
      );
      return rows.map((row) => ({
        organizationId: row.organizationId,
        assetId: row.assetId,
        block: blockOf(row),
      }));
    },

    /** Returns how many blocks the day had. One statement each: joined to days, it might read whole partitions. */
    async removeDay({ organizationId, assetId, from, before }: CompactionWindow): Promise<number> {
      const rows = await query(
        sql,
        `delete from measurement_blocks
         where organization_id = ? and asset_id = ? and ${ANY_SPAN}
           and last_at >= ?::timestamptz and last_at < ?::timestamptz
         returning 1`,
        [organizationId, assetId, from.toISOString(), before.toISOString()],
      );
      return rows.length;
    },

    async insert(blocks: AssetBlock[]): Promise<void> {
      await query(
        sql,
        `insert into measurement_blocks (${BLOCK_COLUMNS}) ${SELECT_BLOCKS}`,
        blockBindings(blocks),
      );
    },

    /** The first block after the windows is due next. */
    async recordCompacted(windows: CompactionWindow[]): Promise<void> {
      await query(
        sql,
        `update device_states s set uncompacted_from = n.next_at
         from (
           select n.organization_id, n.asset_id, newer.next_at
           from unnest(?::uuid[], ?::uuid[], ?::timestamptz[]) as n (organization_id, asset_id, before_at)
           cross join lateral (
             select min(last_at) as next_at from ${SPANS}
             cross join lateral (
               select last_at from measurement_blocks
               where organization_id = n.organization_id and asset_id = n.asset_id
                 and span_minutes = span.minutes and last_at >= n.before_at
               order by last_at limit 1
             ) as first
           ) as newer
         ) as n
         where s.organization_id = n.organization_id and s.asset_id = n.asset_id`,
        [...keyBindings(windows), times(windows, 'before')],
      );
    },
  };
}

const keyBindings = (refs: AssetRef[]): string[] => [
  toArrayText(refs, ({ organizationId }) => organizationId),
  toArrayText(refs, ({ assetId }) => assetId),
];

const times = (windows: CompactionWindow[], field: 'from' | 'before'): string =>
  toArrayText(windows, (window) => window[field].toISOString());

/** The order in which one statement would have returned rows of several organizations. */
const byTurn = (one: DueDevice, other: DueDevice): number =>
  one.from.getTime() - other.from.getTime() || (one.assetId < other.assetId ? -1 : 1);
