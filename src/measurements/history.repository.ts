import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import type { Layout } from '../devices/channel-layout.ts';
import type { HistoryCursor, HistoryReading } from './history.ts';

export interface HistoryScope extends AssetRef {
  layout: Layout;
}

export interface HistoryFilter {
  from: Date | null;
  to: Date | null;
  channel: number | null;
  /** Older than this one. */
  before: HistoryCursor | null;
  limit: number;
}

export type HistoryRepository = ReturnType<typeof createHistoryRepository>;

export function createHistoryRepository(sql: Sql) {
  return {
    /** Null when the organization has no active asset of that id. */
    async findScope(organizationId: string, assetId: string): Promise<HistoryScope | null> {
      const [layout] = await queryPrepared<Layout>(
        sql,
        'history_find_scope',
        `select a.model, coalesce(d.reported_channel_types, s.observed_channel_types) as "channelTypes"
         from assets a
         join device_states s on s.organization_id = a.organization_id and s.asset_id = a.id
         join device_configs d on d.organization_id = a.organization_id and d.asset_id = a.id
         where a.organization_id = ? and a.id = ? and a.archived_at is null`,
        [organizationId, assetId],
      );
      return layout ? { organizationId, assetId, layout } : null;
    },

    /** Newest first, along the primary key. */
    list({ organizationId, assetId }: HistoryScope, filter: HistoryFilter): Promise<HistoryReading[]> {
      const bounds = boundsOf(filter);
      return queryPrepared(
        sql,
        ['history_list', ...bounds.map(({ name }) => name)].join('_'),
        `select channel, type, value, error, late, measured_at as "measuredAt", received_at as "receivedAt"
         from measurements
         where ${['organization_id = ?', 'asset_id = ?', ...bounds.map(({ condition }) => condition)].join(' and ')}
         order by measured_at desc, channel desc limit ?`,
        [organizationId, assetId, ...bounds.flatMap(({ values }) => values), filter.limit],
      );
    },
  };
}

interface Bound {
  /** Part of the name of the prepared statement. */
  name: string;
  condition: string;
  values: unknown[];
}

function boundsOf({ from, to, channel, before }: HistoryFilter): Bound[] {
  const bounds: Bound[] = [];
  const add = (name: string, condition: string, ...values: unknown[]) =>
    bounds.push({ name, condition, values });
  if (from) add('from', 'measured_at >= ?::timestamptz', from.toISOString());
  if (to) add('to', 'measured_at < ?::timestamptz', to.toISOString());
  if (channel !== null) add('channel', 'channel = ?::smallint', channel);
  if (before) {
    const at = before.measuredAt.toISOString();
    // PostgreSQL excludes partitions by this one, and not by the one below.
    add('until', 'measured_at <= ?::timestamptz', at);
    add('before', '(measured_at, channel) < (?::timestamptz, ?::smallint)', at, before.channel);
  }
  return bounds;
}
