import { setImmediate as nextTurn } from 'node:timers/promises';
import { definitionsOf } from '../alerts/alert-definition.ts';
import { createApplyPlanner } from '../config-jobs/apply-planner.service.ts';
import { createBeginJob } from '../config-jobs/begin-job.service.ts';
import { type ChangesDeps, createChangesService } from '../config-jobs/changes.service.ts';
import type { JobRef } from '../config-jobs/config-job.ts';
import { createConfigJobsRepository } from '../config-jobs/config-jobs.repository.ts';
import { configJobsRoutes } from '../config-jobs/config-jobs.routes.ts';
import { createConfigJobsService } from '../config-jobs/config-jobs.service.ts';
import { createConfigTargetsRepository } from '../config-jobs/config-targets.repository.ts';
import { createDaylightSavingService } from '../config-jobs/daylight-saving.service.ts';
import { createDesiredProfiles } from '../config-jobs/desired-profile.service.ts';
import {
  createDeviceTargetsRepository,
  createMessageTargetsRepository,
} from '../config-jobs/device-targets.repository.ts';
import { deviceWithdrawalRoutes } from '../config-jobs/device-withdrawal.routes.ts';
import { createDeviceWithdrawal } from '../config-jobs/device-withdrawal.service.ts';
import { createGroupChanges } from '../config-jobs/group-changes.service.ts';
import { createGroupTargetsRepository } from '../config-jobs/group-targets.repository.ts';
import { createGroupWithdrawalsRepository } from '../config-jobs/group-withdrawals.repository.ts';
import { createFinishJob, createJobEnding, type FinishJobDeps } from '../config-jobs/job-ending.service.ts';
import { createJobRunService } from '../config-jobs/job-run.service.ts';
import {
  createJobRunsRepository,
  type JobRunsRepository,
  type JobWithoutWorkflow,
} from '../config-jobs/job-runs.repository.ts';
import { createOldJobsRepository } from '../config-jobs/old-jobs.repository.ts';
import { createOldJobsRemoval } from '../config-jobs/old-jobs.service.ts';
import { createProgressSignals } from '../config-jobs/progress-signals.service.ts';
import { createRecompile } from '../config-jobs/recompile.service.ts';
import { createScheduledDevicesRepository } from '../config-jobs/scheduled-devices.repository.ts';
import { createUnusedConfigurationsRepository } from '../config-jobs/unused-configurations.repository.ts';
import { createUnusedConfigurationsRemoval } from '../config-jobs/unused-configurations.service.ts';
import { createPendingChangesRepository } from '../devices/pending-changes.repository.ts';
import { createGroupsRepository } from '../groups/groups.repository.ts';
import { createLimitOfTwo } from '../http/concurrency-limit.ts';
import { createBackgroundTasks } from '../process/background-tasks.ts';
import { inTurns } from '../process/keyed-semaphore.ts';
import { createProfilesRepository } from '../profiles/profiles.repository.ts';
import { createMissingWorkflowsSweep } from '../temporal/start-missing-workflows.ts';
import type { DeviceRepositories } from './devices.ts';
import type { Resources } from './resources.ts';

type ConfigJobsNeeds = DeviceRepositories &
  Pick<FinishJobDeps, 'publish'> &
  Pick<ChangesDeps, 'onAlertRulesChanged'>;

/** Number of pages of the smallest large job. */
const PAGES = 4;

export function composeConfigJobs(resources: Resources, needs: ConfigJobsNeeds) {
  const { settings, sql, listTurns, transact, now, starter, onRunStarted, onTemporalFault } = resources;
  const { devicesIn, configurationsIn, publish, onAlertRulesChanged } = needs;
  const { applyChunkSize: chunkSize, largeJobDevices: largeAbove } = settings;
  /** Pages may be larger than chunks, because reading locks nothing. */
  const pageSize = Math.ceil(largeAbove / PAGES);
  const fleetWideLimit = createLimitOfTwo('dry runs and applies to all');
  const jobs = createConfigJobsRepository(sql);
  const runs = createJobRunsRepository(sql);
  const jobsIn = createConfigJobsRepository;
  const targetsIn = createConfigTargetsRepository;
  const deviceTargetsIn = createDeviceTargetsRepository;
  const pendingIn = createPendingChangesRepository;

  const progress = createProgressSignals({
    count: jobs.countTargets,
    signal: starter.signalJob,
    intervalMs: settings.jobSignalIntervalMs,
    onFault: onTemporalFault('signal'),
  });
  const jobsProgressed = progress.progressed;
  const workflows = createWorkflowStarts(resources, runs);
  const changes = createChangesService({
    configurationsIn,
    pendingIn,
    deviceTargetsIn,
    onAlertRulesChanged,
    nextTurn,
    now,
  });
  const finishJob = createFinishJob({ jobsIn, publish, now });
  const jobEnding = createJobEnding({ pendingIn, targetsIn, changes, finishJob, chunkSize });
  const groupTargetsIn = createGroupTargetsRepository;
  const withdrawalsIn = createGroupWithdrawalsRepository;
  const groupChanges = createGroupChanges({
    pendingIn,
    groupTargetsIn,
    withdrawalsIn,
    changes,
    jobsProgressed,
  });
  const planner = createApplyPlanner({
    profilesIn: createProfilesRepository,
    configurationsIn,
    pendingIn,
    groupChanges,
    readAlerts: definitionsOf,
    largeAbove,
    pageSize,
    nextTurn,
    now,
  });
  const beginJob = createBeginJob({
    jobsIn,
    targetsIn,
    changes,
    startJob: workflows.start,
    jobsProgressed,
    largeAbove,
    pageSize,
  });
  const service = createConfigJobsService({
    jobsIn,
    targetsIn,
    groupsIn: createGroupsRepository,
    planner,
    beginJob,
    jobEnding,
    groupChanges,
    jobChanged: progress.jobChanged,
  });
  const deviceWithdrawal = createDeviceWithdrawal({
    devicesIn,
    pendingIn,
    jobsIn,
    deviceTargetsIn,
    changes,
    finishJob,
    jobsProgressed,
  });
  const daylightSaving = createDaylightSavingService({
    transact,
    scheduledDevices: createScheduledDevicesRepository(sql),
    scheduledIn: createScheduledDevicesRepository,
    devicesIn,
    targetsIn: createMessageTargetsRepository,
    timeZoneRules: resources.timeZoneRules,
    now,
    onSetAside: resources.onSetAside('offsets of time zones'),
  });
  const jobRun = createJobRunService({
    transact,
    jobsIn,
    runsIn: createJobRunsRepository,
    targetsIn,
    deviceTargetsIn,
    planner,
    changes,
    jobEnding,
    groupChanges,
    jobsProgressed,
    chunkSize,
  });
  return {
    routes: [
      ...configJobsRoutes({
        jobs: inTurns(jobs, listTurns, 'list', 'find'),
        jobsIn,
        targets: inTurns(targetsIn(sql), listTurns, 'list'),
        service,
        limit: fleetWideLimit,
      }),
      ...deviceWithdrawalRoutes({ devicesIn, service: deviceWithdrawal }),
    ],
    fleetWideLimit,
    /** The steps of a job's workflow. */
    jobRun,
    recompile: createRecompile({ configurationsIn, targetsIn: createMessageTargetsRepository, now }),
    jobsProgressed,
    groupChanges,
    desired: createDesiredProfiles({
      pendingIn,
      groupTargetsIn,
      planner,
      beginJob,
      changes,
      groupChanges,
      chunkSize,
    }),
    recordOutcomes: progress.recordOutcomes,
    syncUtcOffsets: daylightSaving.syncUtcOffsets,
    removeOldJobs: createOldJobsRemoval(createOldJobsRepository(sql), resources.onSetAside('retention')),
    removeUnusedConfigurations: createUnusedConfigurationsRemoval(
      createUnusedConfigurationsRepository(sql),
      resources.onSetAside('retention'),
    ),
    startMissingWorkflows: createMissingWorkflowsSweep<JobWithoutWorkflow>({
      ...runs,
      findLastRun: starter.findJobRun,
      start: async (job, options) => starter.startJob(job, await runs.findTitle(job), options),
      keyOf: ({ jobId }) => jobId,
      wake: async (job) => {
        if (await jobRun.isDue(job)) await starter.signalJob(job, []);
      },
      isStuck: ({ isStuck }) => isStuck,
      checkIntervalMs: settings.runCheckIntervalMs,
      onStarted: ({ jobId }, last) => onRunStarted('apply-profile', jobId, last),
      onFault: onTemporalFault('sweep jobs'),
    }),
    /** Waits for calls to Temporal that are under way. */
    async flush() {
      await progress.flush();
      await workflows.flush();
    },
  };
}

/** Starts the workflows of jobs after their commit, in the background. */
function createWorkflowStarts({ starter, metrics, onTemporalFault }: Resources, runs: JobRunsRepository) {
  const tasks = createBackgroundTasks(onTemporalFault('start'));
  async function startRun(job: JobRef): Promise<void> {
    await starter.startJob(job, await runs.findTitle(job));
    await runs.touchWorkflow(job);
    metrics.jobsStarted.inc();
  }
  return { start: (job: JobRef): void => tasks.add(startRun(job)), flush: tasks.drain };
}
