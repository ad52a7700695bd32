/**
 * Creates partitions ahead of time, and removes rows that are older than their retention or no longer used.
 */
import {
  AUDIT_ENTRIES,
  DELIVERY_TABLES,
  MEASUREMENTS,
  PARTITIONED_TABLES,
} from '../../migrations/partitioned-tables.ts';
import { createPartitions, dropPartitions, isSkipped } from '../db/partitions.ts';
import { removeExpiredAnswers } from '../http/idempotency-keys.repository.ts';
import { DAY_MS } from '../process/durations.ts';
import type { Resources } from './resources.ts';
import type { Slices } from './slices.ts';

const UNREGISTERED_KEPT_DAYS = 30;
const REMOVED_AT_ONCE = 1_000;

/** A failed step prevents no other one from running; the first failure is thrown at the end. */
export function createRetention(resources: Resources, slices: Slices) {
  const removals = removalsOf(resources, slices);
  return async (shouldContinue: () => boolean): Promise<void> => {
    const failures: unknown[] = [];
    const attempt = async (step: Step) => {
      if (shouldContinue()) await step(shouldContinue).catch((error) => failures.push(error));
    };
    // Comes first, because new rows cannot be inserted without a partition.
    await attempt(() => createAllPartitions(resources));
    try {
      await requireEqualClocks(resources);
      await requireSteadyClock(resources);
    } catch (error) {
      // A day without partitions may be the consequence.
      throw failures[0] ?? error;
    }
    for (const removal of removals) await attempt(removal);
    if (failures.length > 0) throw failures[0];
  };
}

async function createAllPartitions({ sql, now }: Resources): Promise<void> {
  for (const table of PARTITIONED_TABLES) await createPartitions(sql, table, now());
}

/** Readings that a clock far ahead removes are lost, while rows that are kept some hours longer do no harm. */
async function requireEqualClocks({ clock }: Resources): Promise<void> {
  await clock.synchronize();
  const days = Math.abs(clock.processAheadMs() ?? 0) / DAY_MS;
  if (days > 1) {
    throw new Error(
      `The clocks of this machine and of the database differ by ${Math.floor(days)} days: nothing is removed`,
    );
  }
}

/** WEBHOOK_RETENTION_DAYS is at least as much, so the partitions of that day are there. */
const STEADY_DAYS = 4;

/**
 * On one machine both clocks jump ahead together. Workers create the partitions of each day a week before it, so those of a
 * day are missing among earlier ones where that time has not passed, or no worker ran.
 */
async function requireSteadyClock({ sql, now }: Resources): Promise<void> {
  const at = new Date(now().getTime() - STEADY_DAYS * DAY_MS);
  for (const table of DELIVERY_TABLES)
    if (await isSkipped(sql, table, at))
      throw new Error(
        'The clock has jumped ahead, or no worker has run for eleven days: nothing is removed for two days',
      );
}

type Step = (shouldContinue: () => boolean) => Promise<unknown>;

function removalsOf({ sql, now, settings }: Resources, slices: Slices): Step[] {
  const { presence, devices, alerts, certificates, configJobs, notifications } = slices;
  const daysAgo = (days: number) => new Date(now().getTime() - days * DAY_MS);
  return [
    () => removeExpiredAnswers(sql),
    () => devices.unregistered.removeOutdated(UNREGISTERED_KEPT_DAYS),
    presence.removeOldOutages,
    certificates.removeDueContents,
    (shouldContinue) =>
      inBatches((limit) => alerts.removeResolved(settings.alertRetentionDays, limit), shouldContinue),
    (shouldContinue) => configJobs.removeOldJobs(settings.jobRetentionDays, shouldContinue),
    configJobs.removeUnusedConfigurations,
    async () => {
      const before = daysAgo(settings.webhooks.retentionDays);
      for (const table of DELIVERY_TABLES) await dropPartitions(sql, table, before);
    },
    (shouldContinue) =>
      inBatches(
        (limit) => notifications.removeEnded(daysAgo(settings.webhooks.retentionDays), limit),
        shouldContinue,
      ),
    () => dropPartitions(sql, MEASUREMENTS, daysAgo(settings.measurementsRetentionDays)),
    () => dropPartitions(sql, AUDIT_ENTRIES, daysAgo(settings.auditRetentionDays)),
  ];
}

/** Each batch is a transaction of its own. */
async function inBatches(
  remove: (limit: number) => Promise<number>,
  shouldContinue: () => boolean,
): Promise<void> {
  let removed: number;
  do removed = await remove(REMOVED_AT_ONCE);
  while (removed === REMOVED_AT_ONCE && shouldContinue());
}
