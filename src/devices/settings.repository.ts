import { toArrayText } from '../db/array-text.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { grouped } from '../process/grouped.ts';
import { type AssetRef, assetKeys } from './asset-ref.ts';
import { contentOf } from './configuration.ts';
import type { ConfigurationsRepository } from './configurations.repository.ts';
import { LIST, LIST_FROM } from './settings.statements.ts';
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
