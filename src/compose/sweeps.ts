/** What the worker does again and again: starts missing workflows, finds overdue devices, removes what is old. */
import {
  createPartitions,
  DELIVERY_TABLES,
  dropPartitions,
  MEASUREMENTS,
  PARTITIONED_TABLES,
} from '../db/partitions.ts';
import { removeExpiredAnswers } from '../http/idempotency-keys.repository.ts';
import { startPeriodic } from '../process/periodic.ts';
import type { Resources } from './resources.ts';
import type { Slices } from './slices.ts';

/** Time zones change their offsets twice a year: a minute is soon enough. */
const SWEEPS_PER_OFFSET_SYNC = 12;
/** Deadlines have a grace of at least ten minutes, and the sweep reads the states of all devices. */
const SWEEPS_PER_OFFLINE_SWEEP = 3;
const UNREGISTERED_KEPT_DAYS = 30;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function startSweeps(resources: Resources, slices: Slices) {
  const { settings, onTemporalFault, log } = resources;
  const { sweepIntervalMs } = settings;
  const retried = (failure: string) => (err: unknown) => log.warn({ err }, `${failure}: it is tried again`);
  const sweeps = [
    startPeriodic(sweepIntervalMs, slices.configJobs.startMissingWorkflows, onTemporalFault('sweep jobs')),
    startPeriodic(
      sweepIntervalMs,
      slices.endpoints.startMissingWorkflows,
      onTemporalFault('sweep endpoints'),
    ),
    startPeriodic(
      sweepIntervalMs * SWEEPS_PER_OFFLINE_SWEEP,
      slices.presence.sweepOffline,
      retried('Overdue devices were not looked for'),
    ),
    startPeriodic(
      sweepIntervalMs * SWEEPS_PER_OFFSET_SYNC,
      slices.configJobs.syncUtcOffsets,
      retried('Changed time zone offsets were not applied'),
    ),
    startPeriodic(HOUR_MS, () => cleanUp(resources, slices), retried('Old data was not removed')),
  ];
  return {
    async stop() {
      await Promise.all(sweeps.map((sweep) => sweep.stop()));
    },
  };
}

/** Creates partitions ahead of time, and removes what is older than its retention. */
async function cleanUp(resources: Resources, { presence, devices, certificates }: Slices): Promise<void> {
  const { sql, now, settings } = resources;
  const nowAt = now();
  // First of all: without a partition, new rows cannot be inserted.
  for (const table of PARTITIONED_TABLES) await createPartitions(sql, table, nowAt);
  await removeExpiredAnswers(sql);
  await devices.unregistered.removeOlderThan(UNREGISTERED_KEPT_DAYS);
  await presence.removeOldOutages();
  await certificates.removeDueContents();
  const daysAgo = (days: number) => new Date(nowAt.getTime() - days * DAY_MS);
  for (const table of DELIVERY_TABLES) {
    await dropPartitions(sql, table, daysAgo(settings.webhooks.retentionDays));
  }
  await dropPartitions(sql, MEASUREMENTS, daysAgo(settings.measurementsRetentionDays));
}
