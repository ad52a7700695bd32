/** Metrics of workers about the whole service. */
import { createAlertsRepository } from '../alerts/alerts.repository.ts';
import { createJobRunsRepository } from '../config-jobs/job-runs.repository.ts';
import { sumFleetTotals } from '../db/list-totals.repository.ts';
import { findPartitionsEnd, PARTITIONED_TABLES } from '../db/partitions.ts';
import { countByState } from '../fleet/fleet.ts';
import { atMostEvery } from '../http/gauges.ts';
import { addServiceGauges, type ServiceSources } from '../http/service-gauges.ts';
import type { Resources } from './resources.ts';

interface ServiceNeeds {
  isListening(): boolean;
}

export function composeServiceMetrics(resources: Resources, needs: ServiceNeeds): void {
  addServiceGauges(resources.metrics, serviceSources(resources, needs));
}

export function serviceSources(
  { settings, sql, now }: Resources,
  { isListening }: ServiceNeeds,
): ServiceSources {
  const atMost = <T>(read: () => Promise<T>) => atMostEvery(settings.metricsMaxAgeMs, read);
  return {
    jobs: atMost(createJobRunsRepository(sql).countRunning),
    totals: atMost(async () => countByState(await sumFleetTotals(sql))),
    alerts: atMost(createAlertsRepository(sql).countOpen),
    partitions: atMost(() =>
      Promise.all(
        PARTITIONED_TABLES.map(async (table) => ({
          table: table.name,
          end: await findPartitionsEnd(sql, table, now()),
        })),
      ),
    ),
    isListening,
  };
}
