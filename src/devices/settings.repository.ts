import { toArrayText } from '../db/array-text.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { grouped } from '../process/grouped.ts';
import { type AssetRef, assetKeys } from './asset-ref.ts';
import { contentOf } from './configuration.ts';
import type { ConfigurationsRepository } from './configurations.repository.ts';
import type { SettingsPeriod } from './settings.ts';

interface SettingsFilter {
  /** Periods that were still in force then, or began later. */
  from: Date | null;
  /** Periods that began before. */
  to: Date | null;
  /** Null: all. */
  limit: number | null;
}

interface Row extends Omit<SettingsPeriod, 'config'> {
  configId: string | null;
}

/** Each period ends where the next one begins, which takes a look-up of its own. */
const LIST = `
  select s.from_at as "from", next.from_at as "to", s.config_id as "configId",
    s.measurement_period_seconds as "measurementPeriodSeconds",
    s.transmission_interval_seconds as "transmissionIntervalSeconds", s.profile_slug as "profileSlug", s.source
  from device_settings s
  left join lateral (
    select from_at from device_settings
    where organization_id = s.organization_id and asset_id = s.asset_id and from_at > s.from_at
    order by from_at limit 1
  ) as next on true
  where s.organization_id = :organizationId and s.asset_id = :assetId and s.source is not null
    and s.from_at < coalesce(:to::timestamptz, 'infinity')
    and s.from_at >= coalesce((
      select max(from_at) from device_settings
      where organization_id = :organizationId and asset_id = :assetId and from_at <= :from::timestamptz
    ), '-infinity')
  order by s.from_at desc limit :limit`;

/** More than any device has in months. */
const PERIODS_MAX = 1_000;

const LIST_FROM = `
  select n.organization_id as "organizationId", n.asset_id as "assetId", s.*
  from unnest(:organizationIds::uuid[], :assetIds::uuid[], :from::timestamptz[])
    as n (organization_id, asset_id, first_at)
  cross join lateral (
    select from_at as "from", lead(from_at) over (order by from_at) as "to", config_id as "configId",
      measurement_period_seconds as "measurementPeriodSeconds",
      transmission_interval_seconds as "transmissionIntervalSeconds", profile_slug as "profileSlug", source
    from device_settings
    where organization_id = n.organization_id and asset_id = n.asset_id and from_at >= coalesce((
      select max(from_at) from device_settings
      where organization_id = n.organization_id and asset_id = n.asset_id and from_at <= n.first_at
    ), '-infinity')
    order by from_at limit ${PERIODS_MAX}
  ) as s
  where s.source is not null
  order by n.asset_id, s."from"`;

export type SettingsRepository = ReturnType<typeof createSettingsRepository>;

export function createSettingsRepository(sql: Sql, configurations: Pick<ConfigurationsRepository, 'find'>) {
  return {
    /** Newest first. Times without known settings have no period. */
    async list(
      organizationId: string,
      assetId: string,
      { from, to, limit }: SettingsFilter,
    ): Promise<SettingsPeriod[]> {
      const rows = await queryPrepared<Row>(sql, 'settings_list', LIST, {
        organizationId,
        assetId,
        from: from?.toISOString() ?? null,
        to: to?.toISOString() ?? null,
        limit,
      });
      return withConfigs(rows.map((row) => ({ ...row, organizationId })));
    },

    /** Periods of many devices, each from a moment on: by asset, oldest first. */
    async listFrom(
      starts: ReadonlyArray<AssetRef & { from: number }>,
    ): Promise<Map<string, SettingsPeriod[]>> {
      if (starts.length === 0) return new Map();
      const rows = await queryPrepared<Row & AssetRef>(sql, 'settings_list_from', LIST_FROM, {
        ...assetKeys(starts),
        from: toArrayText(starts, ({ from }) => new Date(from).toISOString()),
      });
      return grouped(await withConfigs(rows), ({ assetId }) => assetId);
    },
  };

  async function withConfigs<Each extends Row & { organizationId: string }>(rows: Each[]) {
    const contents = await configurations.find(
      rows.map(({ organizationId, configId }) => ({ organizationId, configIds: [configId] })),
    );
    return rows.map(({ configId, organizationId, ...row }) => ({
      ...row,
      config: configId === null ? null : contentOf(contents, configId),
    }));
  }
}
