import { readFileSync } from 'node:fs';
import { createSettingsRepository } from '../devices/settings.repository.ts';
import { type ConcurrencyLimit, createLimitOfTwo } from '../http/concurrency-limit.ts';
import type { HistoryRepository } from '../measurements/history.repository.ts';
import { createMutesRepository } from '../mutes/mutes.repository.ts';
import { inTurns } from '../process/keyed-semaphore.ts';
import type { Pace } from '../process/pacer.ts';
import { createProfilesRepository } from '../profiles/profiles.repository.ts';
import { createRecordRepository } from '../statistics/record.repository.ts';
import { settingsRoutes } from '../statistics/settings.routes.ts';
import { statisticsRoutes } from '../statistics/statistics.routes.ts';
import { createStatisticsService } from '../statistics/statistics.service.ts';
import { createStatisticsPage } from '../statistics/statistics-page.service.ts';
import type { DeviceRepositories } from './devices.ts';
import type { Resources } from './resources.ts';

interface StatisticsNeeds extends Pick<DeviceRepositories, 'configurationsIn'> {
  exports: { history: Pick<HistoryRepository, 'lister'>; limit: ConcurrencyLimit; pace: Pace };
}

export function composeStatistics(
  { sql, listTurns, settings: { pdfFonts }, log, now }: Resources,
  { configurationsIn, exports: { history, limit, pace } }: StatisticsNeeds,
) {
  const loadFonts = async () => {
    const { createRecordFonts } = await import('../statistics/record-fonts.service.ts');
    return createRecordFonts({
      files: pdfFonts,
      read: readFileSync,
      onUnusable: (err, file) =>
        log.error({ err, file }, 'A file of PDF_FONTS holds no font: letters may be missing'),
    });
  };
  const record = createRecordRepository(sql);
  const settings = createSettingsRepository(sql, configurationsIn(sql));
  return {
    routes: [
      ...settingsRoutes({ record, settings: inTurns(settings, listTurns, 'list') }),
      ...statisticsRoutes({
        compute: createStatisticsService({
          record,
          mutes: createMutesRepository(sql),
          settings,
          listProfileNames: createProfilesRepository(sql).listNames,
          history,
          pace,
          now,
        }),
        toPage: createStatisticsPage({ pace, now, loadFonts }),
        limit,
        pageLimit: createLimitOfTwo('PDF pages'),
      }),
    ],
  };
}
