import { type ConcurrencyLimit, createConcurrencyLimit } from '../http/concurrency-limit.ts';
import { readInTurns } from '../measurements/fair-history.ts';
import { createHistoryRepository } from '../measurements/history.repository.ts';
import type { Pace } from '../process/pacer.ts';
import { statisticsRoutes } from '../statistics/statistics.routes.ts';
import { createStatisticsService, type StatisticsDeps } from '../statistics/statistics.service.ts';
import { createStatisticsPage } from '../statistics/statistics-page.service.ts';
import type { Resources } from './resources.ts';

export interface StatisticsNeeds extends Pick<StatisticsDeps, 'findAsset' | 'findDevice'> {
  exports: { limit: ConcurrencyLimit; pace: Pace };
}

const PAGES = { name: 'PDF pages', perKeyMax: 2, perOrganizationMax: 2, perProcessMax: 8 };

export const composeStatistics = (
  { lagging, transferTurns, now }: Resources,
  { findAsset, findDevice, exports: { limit, pace } }: StatisticsNeeds,
) => ({
  routes: statisticsRoutes({
    compute: createStatisticsService({
      findAsset,
      findDevice,
      history: readInTurns(createHistoryRepository(lagging.transferSql), transferTurns),
      pace,
      now,
    }),
    toPage: createStatisticsPage(now),
    limit,
    pageLimit: createConcurrencyLimit(PAGES),
  }),
});
