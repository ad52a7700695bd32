import { MEASUREMENTS } from '../../migrations/partitioned-tables.ts';
import { createPartitionKeeper } from '../db/partitions.ts';
import { createUnregisteredContactsRepository } from '../devices/unregistered-devices.repository.ts';
import { createConcurrencyLimit } from '../http/concurrency-limit.ts';
import { observeLockingCommit } from '../http/metrics.ts';
import { createCompactionRepository } from '../measurements/compaction.repository.ts';
import { createCompaction } from '../measurements/compaction.service.ts';
import { exportRoutes } from '../measurements/export.routes.ts';
import { createExportScopesRepository } from '../measurements/export-scopes.repository.ts';
import { createHistoryRepository } from '../measurements/history.repository.ts';
import { createIntake, type Intake } from '../measurements/intake.service.ts';
import { createMeasurementsRepository } from '../measurements/measurements.repository.ts';
import { measurementsRoutes } from '../measurements/measurements.routes.ts';
import { createMessageBatch, type MessageBatchDeps } from '../measurements/message-batch.service.ts';
import { createRecentHoursRepository } from '../measurements/recent-hours.repository.ts';
import type { IntakeHealth } from '../presence/intake-health.ts';
import { DAY_MS } from '../process/durations.ts';
import { inTurns } from '../process/keyed-semaphore.ts';
import { createPacer } from '../process/pacer.ts';
import type { Resources } from './resources.ts';

type MeasurementsNeeds = Pick<
  MessageBatchDeps,
  | 'devicesIn'
  | 'evaluateAlerts'
  | 'onlineEvents'
  | 'backWithoutFrame'
  | 'publish'
  | 'queueAlerts'
  | 'exchanges'
> & { observeContact: IntakeHealth['observeContact'] };

export function composeMeasurements(resources: Resources, { observeContact, ...needs }: MeasurementsNeeds) {
  const { sql, transferSql, lagging, listTurns, settings, transact, now } = resources;
  const { receive, handle, receiveInfo } = composeIntake(resources, needs);
  const intake: Intake = {
    receive: (frame) => observeContact(receive(frame)),
    handle: (exchange) => observeContact(handle(exchange)),
    receiveInfo: (info) => observeContact(receiveInfo(info)),
  };
  const compaction = createCompaction({
    transact,
    compactionIn: createCompactionRepository,
    now,
    onSetAside: ({ organizationId, assetId }, err) =>
      resources.onSetAside('compaction of readings')({ organizationId, assetId }, err),
  });
  const exports = {
    history: createHistoryRepository(lagging.transferSql),
    limit: createConcurrencyLimit({ name: 'exports', ...settings.transfers.exports }),
    // Half of the burst is work: enough for a year of one device in buckets without a pause.
    pace: createPacer({ burstMs: 100 }),
  };
  const history = inTurns(createHistoryRepository(lagging.sql), listTurns, 'list', 'listSamples');
  // Not from the replica, because a client may read the history of an asset right after registering it.
  const findScope = createExportScopesRepository(sql).find;
  return {
    routes: [
      ...measurementsRoutes({ intake, history, findScope, exports }),
      ...exportRoutes({ scopes: createExportScopesRepository(transferSql), ...exports }),
    ],
    listRecentHours: createRecentHoursRepository(lagging.sql).list,
    intake,
    exports,
    compaction,
  };
}

function composeIntake(
  { sql, settings, transactMessages, slots, metrics, tracing, now }: Resources,
  needs: Omit<MeasurementsNeeds, 'observeContact'>,
): Intake {
  const commit = createMessageBatch({
    ...needs,
    transact: transactMessages,
    measurementsIn: createMeasurementsRepository,
    unregisteredIn: createUnregisteredContactsRepository,
    partitions: createPartitionKeeper(sql, MEASUREMENTS),
    retentionMs: settings.measurementsRetentionDays * DAY_MS,
    now,
  });
  return createIntake({
    commit,
    slots,
    observers: observeLockingCommit(metrics, 'messages'),
    tracing,
    onRefused: (reason) => metrics.refusedTurns.inc({ work: 'message', reason }),
    observe({ accepted, duplicates, conflicts, dropped }) {
      metrics.readings.inc({ outcome: 'accepted' }, accepted);
      metrics.readings.inc({ outcome: 'duplicate' }, duplicates);
      metrics.readings.inc({ outcome: 'conflict' }, conflicts);
      metrics.readings.inc({ outcome: 'dropped' }, dropped);
    },
  });
}
