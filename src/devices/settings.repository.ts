import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { DeviceConfiguration } from './configuration.ts';
import { contentOf } from './configuration-id.ts';
import type { ConfigurationsRepository } from './configurations.repository.ts';
import type { SettingsPeriod } from './settings.ts';

export interface SettingsFilter {
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

export type SettingsRepository = ReturnType<typeof createSettingsRepository>;

export function createSettingsRepository(sql: Sql, configurations: Pick<ConfigurationsRepository, 'find'>) {
  return {
    /** Newest first. Times of which nothing is known have no period. */
    async list(
      organizationId: string,
      assetId: string,
      { from, to, limit }: SettingsFilter,
    ): Promise<SettingsPeriod[]> {
      const rows = await queryPrepared<Row>(
        sql,
        'settings_list',
        `select s.from_at as "from", next.from_at as "to", s.config_id as "configId",
           s.measurement_period_seconds as "measurementPeriodSeconds",
           s.transmission_interval_seconds as "transmissionIntervalSeconds", s.profile_slug as "profileSlug", s.source
         from device_settings s
         left join lateral (
           select from_at from device_settings
           where organization_id = s.organization_id and asset_id = s.asset_id and from_at > s.from_at
           order by from_at limit 1
         ) as next on true
         where s.organization_id = ? and s.asset_id = ? and s.source is not null
           and s.from_at < coalesce(?::timestamptz, 'infinity')
           and s.from_at >= coalesce((
             select max(from_at) from device_settings where organization_id = ? and asset_id = ? and from_at <= ?::timestamptz
           ), '-infinity')
         order by s.from_at desc limit ?`,
        [
          organizationId,
          assetId,
          to?.toISOString() ?? null,
          organizationId,
          assetId,
          from?.toISOString() ?? null,
          limit,
        ],
      );
      const contents = await configurations.find([
        { organizationId, configIds: rows.map(({ configId }) => configId) },
      ]);
      const content = (id: string | null): DeviceConfiguration | null =>
        id === null ? null : contentOf(contents, id);
      return rows.map(({ configId, ...row }) => ({ ...row, config: content(configId) }));
    },
  };
}
