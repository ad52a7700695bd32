/** Gauges of each process about itself, and of the whole service. */
import { PARTITIONED_TABLES } from '../../migrations/partitioned-tables.ts';
import { addAlertGauges } from '../alerts/alerts.metrics.ts';
import { createAlertsRepository } from '../alerts/alerts.repository.ts';
import { addJobGauges } from '../config-jobs/config-jobs.metrics.ts';
import { createJobRunsRepository } from '../config-jobs/job-runs.repository.ts';
import { findArchiveFailureSeconds } from '../db/log-archive.ts';
import { findPartitionsEnd } from '../db/partitions.ts';
import { addFleetGauges } from '../fleet/fleet.metrics.ts';
import { createFleetRepository } from '../fleet/fleet.repository.ts';
import { countByState } from '../fleet/fleet.ts';
import type { ReadReadiness } from '../http/health.ts';
import { addGauge, toReadings } from '../http/instruments.ts';
import { addProcessGauges } from '../http/process-gauges.ts';
import { createOverdueFleetsRepository } from '../presence/overdue-fleets.repository.ts';
import { addPresenceGauge } from '../presence/presence.metrics.ts';
import { VERSION } from '../process/version.ts';
import type { Resources } from './resources.ts';

export type ProcessKind = 'api' | 'gateway' | 'worker';

export function composeProcessMetrics(
  { metrics, cached, sql, timeZoneRules }: Resources,
  { kinds, readReadiness }: { kinds: ReadonlySet<ProcessKind>; readReadiness: ReadReadiness },
): void {
  addProcessGauges(metrics, {
    version: VERSION,
    timeZoneRules,
    kinds: () => kinds,
    dependencies: cached(async () => (await readReadiness()).body.dependencies),
  });
  const { list } = createOverdueFleetsRepository(sql);
  addPresenceGauge(
    metrics.registry,
    cached(async () => (await list()).length),
  );
}

interface ServiceNeeds {
  isListening(): boolean;
}

/** Devices are counted one by one, which takes a second for a million of them: five minutes apart. */
const FLEET_AGE_FACTOR = 30;

/** Only workers expose these, because they need the statements of sweeps. */
export function composeServiceMetrics(resources: Resources, { isListening }: ServiceNeeds): void {
  const { registry } = resources.metrics;
  const { jobs, devices, alerts, partitions, archiveFailure } = serviceSources(resources);
  addJobGauges(registry, jobs);
  addFleetGauges(registry, devices);
  addAlertGauges(registry, alerts);
  addGauge(registry, {
    name: 'dms_partitions_end_timestamp_seconds',
    help: 'Until when rows can be inserted: the end of the partitions that exist',
    labelNames: ['table'],
    read: async () =>
      (await partitions())?.map(({ table, end }) => ({ labels: { table }, value: end.getTime() / 1000 })) ??
      null,
  });
  addGauge(registry, {
    name: 'dms_archive_failing_seconds',
    help: 'How long PostgreSQL has failed to archive its write-ahead log; 0 while it succeeds, or archiving is off',
    read: async () => toReadings(await archiveFailure()),
  });
  addGauge(registry, {
    name: 'dms_database_listening',
    help: 'Whether notifications of new deliveries arrive: 1 or 0; at 0 the dispatcher polls every second',
    read: () => [{ value: Number(isListening()) }],
  });
}

export function serviceSources({ sql, cached, now }: Resources) {
  return {
    jobs: cached(createJobRunsRepository(sql).countRunning),
    devices: cached(async () => countByState(await createFleetRepository(sql).countAll()), FLEET_AGE_FACTOR),
    alerts: cached(createAlertsRepository(sql).countOpen),
    archiveFailure: cached(() => findArchiveFailureSeconds(sql)),
    partitions: cached(() =>
      Promise.all(
        PARTITIONED_TABLES.map(async (table) => ({
          table: table.name,
          end: await findPartitionsEnd(sql, table, now()),
        })),
      ),
    ),
  };
}
