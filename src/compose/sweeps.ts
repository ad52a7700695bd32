/**
 * Periodic work of the worker, in one process at a time: starts missing workflows, finds overdue devices,
 * adds up totals, removes old rows. Each sweep is safe to run twice at a time, which can happen when a
 * process was suspended.
 */
import { startLease } from '../db/lease.ts';
import { addGauge } from '../http/instruments.ts';
import { HOUR_MS } from '../process/durations.ts';
import { startPeriodic } from '../process/periodic.ts';
import type { Resources } from './resources.ts';
import { createRetention } from './retention.ts';
import type { Slices } from './slices.ts';

/** Devices are due for a check when the offset of their zone changes: within a minute is soon enough. */
const SWEEPS_PER_OFFSET_SYNC = 12;
/** Deadlines have a grace of at least ten minutes. */
const SWEEPS_PER_OFFLINE_SWEEP = 3;
/** Another process takes over when the lease was not renewed for the time of this many sweeps. */
const SWEEPS_PER_LEASE = 3;
const LEASE_MS_MIN = 2_000;
/** Interval of sweeps that a person may be waiting for. */
const SOON_MS = 1_000;
/** Days have been closed for a day before they are compacted: minutes do not matter. */
const SWEEPS_PER_COMPACTION = 60;

export interface Sweep {
  name: string;
  intervalMs: number;
  /** Long sweeps end early when `shouldContinue` returns false. */
  run(shouldContinue: () => boolean): Promise<unknown>;
  onFault(error: unknown): void;
}

export function startSweeps(resources: Resources, slices: Slices) {
  const { sql, settings, metrics, log } = resources;
  const lease = startLease(sql, {
    name: 'sweeps',
    leaseMs: Math.max(LEASE_MS_MIN, settings.sweepIntervalMs * SWEEPS_PER_LEASE),
    onFault: (err) => log.warn({ err }, 'The lease of the sweeps was not renewed: it is tried again'),
  });
  const sweeps = sweepsOf(resources, slices);
  const succeededAt = new Map<string, Date | null>(sweeps.map(({ name }) => [name, null]));
  addGauge(metrics.registry, {
    name: 'dms_sweep_last_success_timestamp_seconds',
    help: 'When a sweep last succeeded in this process; 0: never. The sweeps are made by one worker at a time',
    labelNames: ['sweep'],
    read: () =>
      [...succeededAt].map(([sweep, at]) => ({ labels: { sweep }, value: (at?.getTime() ?? 0) / 1000 })),
  });
  const running = sweeps.map(({ name, intervalMs, run, onFault }) =>
    startPeriodic(
      intervalMs,
      async () => {
        if (!(await lease.untilHeld())) return;
        await run(lease.isHeld);
        succeededAt.set(name, new Date());
      },
      onFault,
    ),
  );
  return {
    async stop() {
      await Promise.all([lease.stop(), ...running.map((sweep) => sweep.stop())]);
    },
  };
}

export function sweepsOf(resources: Resources, slices: Slices): Sweep[] {
  const { settings, onTemporalFault, log } = resources;
  const { sweepIntervalMs } = settings;
  const retried = (failure: string) => (err: unknown) => log.warn({ err }, `${failure}: it is tried again`);
  return [
    {
      name: 'missing runs of jobs',
      intervalMs: sweepIntervalMs,
      run: slices.configJobs.startMissingWorkflows,
      onFault: onTemporalFault('sweep jobs'),
    },
    {
      name: 'missing runs of endpoints',
      intervalMs: sweepIntervalMs,
      run: slices.endpoints.startMissingWorkflows,
      onFault: onTemporalFault('sweep endpoints'),
    },
    {
      name: 'missing runs of escalations',
      intervalMs: sweepIntervalMs,
      run: slices.escalations.startMissingWorkflows,
      onFault: onTemporalFault('sweep escalations'),
    },
    {
      name: 'queues of deleted endpoints',
      intervalMs: sweepIntervalMs,
      run: slices.deliveries.cleanUpDeletedEndpoints,
      onFault: retried('The queues of deleted endpoints were not cancelled'),
    },
    {
      name: 'runs of withdrawals',
      intervalMs: SOON_MS,
      run: slices.groups.startMissingWorkflows,
      onFault: onTemporalFault('sweep withdrawals'),
    },
    {
      name: 'overdue devices',
      intervalMs: sweepIntervalMs * SWEEPS_PER_OFFLINE_SWEEP,
      run: slices.presence.sweepOffline,
      onFault: retried('Overdue devices were not looked for'),
    },
    {
      name: 'escalations of overdue fleets',
      intervalMs: sweepIntervalMs,
      run: slices.escalations.escalateFleets,
      onFault: retried('Escalations of overdue fleets were not looked for'),
    },
    {
      name: 'changes of escalations',
      intervalMs: SOON_MS,
      run: slices.escalations.followChanges,
      onFault: retried('Changes of escalations were not followed'),
    },
    {
      name: 'snoozed alerts',
      intervalMs: sweepIntervalMs,
      run: slices.alerts.endSnoozes,
      onFault: retried('Snoozes of alerts that are over were not ended'),
    },
    {
      name: 'offsets of time zones',
      intervalMs: sweepIntervalMs * SWEEPS_PER_OFFSET_SYNC,
      run: slices.configJobs.syncUtcOffsets,
      onFault: retried('Changed time zone offsets were not applied'),
    },
    {
      name: 'compaction of readings',
      intervalMs: sweepIntervalMs * SWEEPS_PER_COMPACTION,
      run: slices.measurements.compaction.compactClosedDays,
      onFault: retried('Readings were not compacted'),
    },
    {
      name: 'retention',
      intervalMs: HOUR_MS,
      run: createRetention(resources, slices),
      onFault: retried('Old data was not removed'),
    },
  ];
}
