/**
 * What customers do with jobs. Each verb is one transaction: all devices or none. The workflow is started after the
 * commit and nobody waits for it; the sweep starts what a crash in between has left behind.
 */
import type { Sql } from '../db/database.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import { type DeviceConfiguration, merged } from '../devices/configuration.ts';
import type { ConfigurationsRepository } from '../devices/configurations.repository.ts';
import { capabilitiesKey, type DeviceCapabilities, toRuleSlots } from '../devices/device-capabilities.ts';
import type { ChangingDevice, PendingChangesRepository } from '../devices/pending-changes.repository.ts';
import { conflict, notFound } from '../process/errors.ts';
import { compileProfile, type ProfileSnapshot } from '../profiles/compile-profile.ts';
import { compileWarnings, mergedWarnings } from '../profiles/compile-warnings.ts';
import { NO_SUCH_PROFILE, type Profile } from '../profiles/profile.ts';
import { memoized } from './change-devices.ts';
import type { ChangesService, DeviceChange } from './changes.service.ts';
import {
  type ConfigJob,
  DEADLINE_MINUTES_DEFAULT,
  firstStageSize,
  type JobRef,
  NO_SUCH_JOB,
  type Rollout,
} from './config-job.ts';
import type { ConfigJobsRepository, JobRow } from './config-jobs.repository.ts';
import type { ConfigTargetsRepository } from './config-targets.repository.ts';
import type { FinishJob } from './finish-job.service.ts';

const NAMED_SERIALS_MAX = 10;

export interface ApplyRequest {
  /** The devices by serial; null means all active ones. */
  serialNumbers: string[] | null;
  deadlineMinutes: number;
  rollout: Rollout | null;
}

export interface Applied {
  jobId: string | null;
  /** Serials as registered, in the order sent or by asset id. */
  applied: string[];
}

export interface Preview {
  config: DeviceConfiguration;
  deviceCount: number;
  warnings: string[];
}

export interface ConfigJobsDeps {
  profilesIn(sql: Sql): { find(organizationId: string, slug: string): Promise<Profile | null> };
  configurationsIn(sql: Sql): ConfigurationsRepository;
  pendingIn(sql: Sql): PendingChangesRepository;
  jobsIn(sql: Sql): ConfigJobsRepository;
  targetsIn(sql: Sql): ConfigTargetsRepository;
  changes: ChangesService;
  finishJob: FinishJob;
  now(): Date;
  startJob(job: JobRef): void;
  jobsProgressed(organizationId: string, jobIds: string[]): void;
}

export type ConfigJobsService = ReturnType<typeof createConfigJobsService>;

export function createConfigJobsService(deps: ConfigJobsDeps) {
  const { profilesIn, configurationsIn, pendingIn, jobsIn, targetsIn, changes, now } = deps;

  async function planOf(sql: Sql, organizationId: string, slug: string, serialNumbers: string[] | null) {
    const profile = await profilesIn(sql).find(organizationId, slug);
    if (!profile) throw notFound(NO_SUCH_PROFILE);
    const parts: ProfileSnapshot = {
      alerts: profile.temperatureAlerts,
      schedule: profile.schedule,
      intervals: profile.intervals,
    };
    const devices = await chosenDevices(pendingIn(sql), organizationId, serialNumbers);
    return { parts, devices, compiled: await compile(configurationsIn(sql), parts, devices, now()) };
  }

  /** Inserts the job with its targets, and puts the change on the devices of the first stage. */
  async function begin(
    { sql, afterCommit }: Transaction,
    job: Omit<Parameters<ConfigJobsRepository['insert']>[0], 'stages' | 'total'>,
    deviceChanges: DeviceChange[],
  ): Promise<string> {
    const { organizationId, rollout } = job;
    const total = deviceChanges.length;
    const first = firstStageSize(total, rollout);
    const id = await jobsIn(sql).insert({ ...job, total, stages: first < total ? 2 : 1 });
    const superseded = await changes.put(sql, organizationId, id, deviceChanges.slice(0, first));
    await targetsIn(sql).insert(
      organizationId,
      id,
      deviceChanges.map(({ device, changeId }, index) => ({
        assetId: device.assetId,
        changeId,
        stage: index < first ? 1 : 2,
        state: index < first ? 'waiting' : 'queued',
      })),
    );
    afterCommit(() => {
      deps.startJob({ organizationId, jobId: id });
      deps.jobsProgressed(organizationId, superseded);
    });
    return id;
  }

  /** The job, locked, if it is the organization's. */
  async function lockOwn(sql: Sql, organizationId: string, jobId: string): Promise<JobRow> {
    const job = await jobsIn(sql).lock(jobId);
    if (job?.organizationId !== organizationId) throw notFound(NO_SUCH_JOB);
    return job;
  }

  return {
    apply(transact: Transact, organizationId: string, slug: string, request: ApplyRequest): Promise<Applied> {
      return transact(async (tx) => {
        const { parts, compiled } = await planOf(tx.sql, organizationId, slug, request.serialNumbers);
        if (compiled.length === 0) return { jobId: null, applied: [] };
        const distinct = [...new Set(compiled.map(({ config }) => config))];
        const ids = await configurationsIn(tx.sql).insert(
          distinct.map((config) => ({ organizationId, config })),
        );
        const idOf = new Map(distinct.map((config, index) => [config, ids[index] as string]));
        const jobId = await begin(
          tx,
          {
            organizationId,
            profileSlug: slug,
            parts,
            rollout: request.rollout,
            deadlineMinutes: request.deadlineMinutes,
            retryOf: null,
          },
          compiled.map(({ device, config }) => ({ device, changeId: idOf.get(config) as string })),
        );
        return { jobId, applied: compiled.map(({ device }) => device.serialNumber) };
      });
    },

    /** What apply would do, one entry per variant of device; changes nothing. */
    preview(
      transact: Transact,
      organizationId: string,
      slug: string,
      serialNumbers: string[] | null,
    ): Promise<{ applied: string[]; preview: Preview[] }> {
      return transact(async ({ sql }) => {
        const { parts, devices, compiled } = await planOf(sql, organizationId, slug, serialNumbers);
        const isMerged = hasOneInterval(parts);
        const contents = await configurationsIn(sql).find(isMerged ? devices.flatMap(knownConfigs) : []);
        const runAfter = ({ device, config }: CompiledDevice) => mergedOver(device, config, contents);
        const capabilitySets = new Map<DeviceConfiguration, CompiledDevice[]>();
        for (const each of compiled) {
          const alike = capabilitySets.get(each.config) ?? [];
          alike.push(each);
          capabilitySets.set(each.config, alike);
        }
        return {
          applied: compiled.map(({ device }) => device.serialNumber),
          preview: [...capabilitySets].map(([config, alike]) => ({
            config,
            deviceCount: alike.length,
            warnings: [
              ...compileWarnings(parts, variantOf((alike[0] as CompiledDevice).device)),
              ...(isMerged ? mergedWarnings(alike.map(runAfter)) : []),
            ],
          })),
        };
      });
    },

    /** Stops waiting and takes the change back where it is pending. 409 when the job has ended. */
    cancel(transact: Transact, organizationId: string, jobId: string): Promise<ConfigJob> {
      return transact(async ({ sql, afterCommit }) => {
        const job = await lockOwn(sql, organizationId, jobId);
        if (job.status !== 'running') throw conflict(`The job is not running: it is ${job.status}`);
        await changes.withdrawOpen(sql, job, 'the job was cancelled');
        afterCommit(() => deps.jobsProgressed(organizationId, [jobId]));
        return deps.finishJob(sql, job, 'cancelled');
      });
    },

    /** A new job with the same change for the devices that failed or timed out and did not confirm it since. */
    retry(transact: Transact, organizationId: string, jobId: string): Promise<ConfigJob> {
      return transact(async (tx) => {
        const { sql } = tx;
        const job = await lockOwn(sql, organizationId, jobId);
        const listed = await targetsIn(sql).listRetryable(jobId);
        const locked = await pendingIn(sql).lockAssets(
          organizationId,
          listed.map(({ assetId }) => assetId),
        );
        // Read again under the locks: a report may have confirmed some in between.
        const retryable = await targetsIn(sql).listRetryable(jobId);
        const changeOf = new Map(retryable.map(({ assetId, changeId }) => [assetId, changeId]));
        const devices = locked.filter(({ assetId }) => changeOf.has(assetId));
        if (devices.length === 0) {
          throw conflict('The job has no failed or timed-out device that has not confirmed the change since');
        }
        const { profileSlug, parts } = job;
        const id = await begin(
          tx,
          {
            organizationId,
            profileSlug,
            parts,
            rollout: null,
            deadlineMinutes: DEADLINE_MINUTES_DEFAULT,
            retryOf: jobId,
          },
          devices.map((device) => ({ device, changeId: changeOf.get(device.assetId) as string })),
        );
        return (await jobsIn(sql).find(organizationId, id)) as ConfigJob;
      });
    },
  };
}

interface CompiledDevice {
  device: ChangingDevice;
  /** The same object for all devices that compile alike. */
  config: DeviceConfiguration;
}

const variantOf = ({ model, channelTypes, ruleSlots }: ChangingDevice): DeviceCapabilities => ({
  model,
  channelTypes,
  ruleSlots: toRuleSlots(ruleSlots),
});

/** One compilation per variant. A schedule alone lies over the rules that a device has, so these tell devices apart, too. */
async function compile(
  configurations: ConfigurationsRepository,
  parts: ProfileSnapshot,
  devices: ChangingDevice[],
  at: Date,
): Promise<CompiledDevice[]> {
  const needsRules = parts.alerts === null && parts.schedule !== null;
  const ownConfigs = (device: ChangingDevice) => (needsRules ? knownConfigs(device) : []);
  const contents = await configurations.find(devices.flatMap(ownConfigs));
  const rulesOf = (device: ChangingDevice) =>
    ownConfigs(device)
      .map((id) => (id === null ? undefined : contents.get(id)?.alarmRules))
      .find((rules) => rules !== undefined) ?? null;
  const compiled = memoized(
    (device: ChangingDevice) => `${capabilitiesKey(variantOf(device))} ${ownConfigs(device).join()}`,
    (device) => compileProfile(parts, variantOf(device), at, rulesOf(device)),
  );
  return devices.map((device) => ({ device, config: compiled(device) }));
}

/** What waits for the device, what it says it runs, and what it confirmed, the first of them first. */
const knownConfigs = ({ pendingConfigId, reportedConfigId, confirmedConfigId }: ChangingDevice) => [
  pendingConfigId,
  reportedConfigId,
  confirmedConfigId,
];

const hasOneInterval = ({ intervals }: ProfileSnapshot) =>
  intervals !== null && Object.keys(intervals).length === 1;

/** What the device would run, as far as the contents are known. */
const mergedOver = (
  device: ChangingDevice,
  change: DeviceConfiguration,
  contents: ReadonlyMap<string, DeviceConfiguration>,
): DeviceConfiguration =>
  [
    ...knownConfigs(device)
      .toReversed()
      .map((id) => (id === null ? {} : (contents.get(id) ?? {}))),
    change,
  ].reduce(merged);

async function chosenDevices(
  pending: PendingChangesRepository,
  organizationId: string,
  serialNumbers: string[] | null,
): Promise<ChangingDevice[]> {
  if (serialNumbers === null) return pending.lockAllActive(organizationId);
  const wanted = [...new Map(serialNumbers.map((serial) => [serial.toLowerCase(), serial]))];
  const found = await pending.lockSerials(organizationId, serialNumbers);
  const bySerial = new Map(found.map((device) => [device.serialNumber.toLowerCase(), device]));
  const unknown = wanted.filter(([key]) => !bySerial.has(key)).map(([, serial]) => serial);
  if (unknown.length > 0) throw notFound(unknownSerials(unknown));
  return wanted.map(([key]) => bySerial.get(key) as ChangingDevice);
}

function unknownSerials(unknown: string[]): string {
  const named = unknown.slice(0, NAMED_SERIALS_MAX).join(', ');
  const more = unknown.length > NAMED_SERIALS_MAX ? ', …' : '';
  return `serialNumbers: ${unknown.length} without an active device: ${named}${more}`;
}
