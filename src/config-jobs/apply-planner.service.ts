/** Plans an apply: the devices, which it locks if they are offered the change at once, and the configuration for each. */
import type { Database } from '../db/database.ts';
import type { Transaction } from '../db/transaction.ts';
import { type ConfigurationContents, type DeviceConfiguration, without } from '../devices/configuration.ts';
import type { ConfigurationsRepository } from '../devices/configurations.repository.ts';
import type {
  ChangingDevice,
  CountedVariant,
  DeviceVariant,
  PendingChangesRepository,
} from '../devices/pending-changes.repository.ts';
import { inOrderOf } from '../devices/serial-number.ts';
import { orNotFound } from '../process/errors.ts';
import { inSlices } from '../process/pages.ts';
import type { ProfileSnapshot } from '../profiles/compile-profile.ts';
import { offsetsOfYear } from '../profiles/compile-schedule.ts';
import { NO_SUCH_PROFILE, type Profile } from '../profiles/profile.ts';
import type { ReadAlerts } from './changed-settings.ts';
import type { DeviceChange } from './changes.service.ts';
import {
  type Compiled,
  type CompiledDevice,
  comparedDevices,
  compileDevices,
  knownConfigIds,
  lacksConfig,
  needsKnownIntervals,
  needsKnownSettings,
  type Preview,
  type PreviewedDevice,
  previewCompiled,
} from './compile-devices.ts';
import type { GroupChanges } from './group-changes.service.ts';

interface ApplyPlannerDeps {
  profilesIn(sql: Database): { find(organizationId: string, slug: string): Promise<Profile | null> };
  configurationsIn(sql: Database): Pick<ConfigurationsRepository, 'find' | 'insert'>;
  pendingIn(sql: Database): PendingChangesRepository;
  groupChanges: Pick<GroupChanges, 'finishWithdrawals' | 'lockAssets'>;
  readAlerts: ReadAlerts;
  /** A job of more devices is large. */
  largeAbove: number;
  /** Number of devices that are read, or compiled, at a time. */
  pageSize: number;
  /** Lets other work of the process go first. */
  nextTurn(): Promise<unknown>;
  now(): Date;
}

export interface Plan<Device extends DeviceVariant> {
  profileSnapshot: ProfileSnapshot;
  /** Devices are ordered as the request names the serials, else by asset id. */
  compiled: Array<Compiled<Device>>;
}

/** Devices by serial number, else all active ones, of the group if one is given. */
export interface ChosenDevices {
  serialNumbers: string[] | null;
  groupId: string | null;
}

interface PlanRequest {
  organizationId: string;
  slug: string;
  chosen: ChosenDevices;
  /** The devices are offered the change at once. */
  isOffered: boolean;
}

export type ApplyPlanner = ReturnType<typeof createApplyPlanner>;

export function createApplyPlanner(deps: ApplyPlannerDeps) {
  const { profilesIn, configurationsIn, pendingIn, groupChanges, pageSize, now } = deps;

  /** `unstored`: configurations that a preview assumes the devices to have. */
  async function findKnown(
    sql: Database,
    organizationId: string,
    devices: DeviceVariant[],
    unstored: ConfigurationContents = new Map(),
  ): Promise<Map<string, DeviceConfiguration>> {
    const configIds = devices.flatMap(knownConfigIds);
    const contents = await configurationsIn(sql).find([{ organizationId, configIds }]);
    for (const [id, config] of unstored) contents.set(id, config);
    return contents;
  }

  /** Those that lack the compiled configuration. */
  async function listLacking(
    sql: Database,
    organizationId: string,
    { schedule }: ProfileSnapshot,
    compiled: CompiledDevice[],
    unstored?: ConfigurationContents,
  ): Promise<ReadonlySet<CompiledDevice>> {
    const offsets = schedule === null || schedule.always ? [] : offsetsOfYear(schedule.timezone, now());
    const lacking = new Set<CompiledDevice>();
    for (const slice of inSlices(compiled, pageSize)) {
      await deps.nextTurn();
      const lacks = lacksConfig(await findKnown(sql, organizationId, devicesOf(slice), unstored), offsets);
      for (const each of slice) if (lacks(each)) lacking.add(each);
    }
    return lacking;
  }

  /** @throws not found */
  async function findSnapshot(sql: Database, organizationId: string, slug: string): Promise<ProfileSnapshot> {
    const profile = orNotFound(await profilesIn(sql).find(organizationId, slug), NO_SUCH_PROFILE);
    return { alerts: profile.temperatureAlerts, schedule: profile.schedule, intervals: profile.intervals };
  }

  async function compile<Device extends DeviceVariant>(
    sql: Database,
    organizationId: string,
    profileSnapshot: ProfileSnapshot,
    devices: Device[],
    unstored?: ConfigurationContents,
  ): Promise<Array<Compiled<Device>>> {
    const compiled: Array<Compiled<Device>> = [];
    for (const slice of inSlices(devices, pageSize)) {
      if (compiled.length > 0) await deps.nextTurn();
      // Devices report what they like: the settings of 100,000 at once may be more than the memory holds.
      const known = needsKnownSettings(profileSnapshot) ? slice : [];
      const contents = await findKnown(sql, organizationId, known, unstored);
      for (const each of compileDevices(profileSnapshot, slice, contents, now())) compiled.push(each);
    }
    return compiled;
  }

  async function listChosen(
    sql: Database,
    organizationId: string,
    { serialNumbers, groupId }: ChosenDevices,
  ): Promise<ChangingDevice[]> {
    if (serialNumbers !== null)
      return inOrderOf(serialNumbers, await pendingIn(sql).listSerials(organizationId, serialNumbers));
    const devices: ChangingDevice[] = [];
    for await (const page of pendingIn(sql).listPages({ organizationId, groupId }, pageSize))
      for (const device of page) devices.push(device);
    return devices;
  }

  /** Leaves the devices of a large job unlocked: its run locks them, chunk by chunk. */
  async function lockChosen(
    tx: Transaction,
    organizationId: string,
    chosen: ChosenDevices,
  ): Promise<ChangingDevice[]> {
    const { serialNumbers } = chosen;
    if (serialNumbers !== null) {
      const locked = await pendingIn(tx.sql).lockSerials(organizationId, serialNumbers);
      return groupChanges.finishWithdrawals(tx, organizationId, inOrderOf(serialNumbers, locked));
    }
    const devices = await listChosen(tx.sql, organizationId, chosen);
    if (devices.length > deps.largeAbove) return devices;
    return groupChanges.lockAssets(
      tx,
      organizationId,
      devices.map(({ assetId }) => assetId),
    );
  }

  return {
    findSnapshot,
    compile,
    listLacking,

    /**
     * Locks devices that are offered the change at once.
     * @throws not found when there is no such profile, or a serial has no active device.
     */
    async plan(
      tx: Transaction,
      { organizationId, slug, chosen, isOffered }: PlanRequest,
    ): Promise<Plan<ChangingDevice>> {
      const profileSnapshot = await findSnapshot(tx.sql, organizationId, slug);
      const devices = isOffered
        ? await lockChosen(tx, organizationId, chosen)
        : await listChosen(tx.sql, organizationId, chosen);
      return { profileSnapshot, compiled: await compile(tx.sql, organizationId, profileSnapshot, devices) };
    },

    /** Plans for all devices, or the members of a group, by counting them by variant instead of listing them. */
    async planCounts(
      sql: Database,
      { organizationId, slug, chosen: { groupId } }: PlanRequest,
    ): Promise<Plan<CountedVariant>> {
      const profileSnapshot = await findSnapshot(sql, organizationId, slug);
      const variants = await pendingIn(sql).countVariants({ organizationId, groupId });
      return { profileSnapshot, compiled: await compile(sql, organizationId, profileSnapshot, variants) };
    },

    /** Stores each distinct configuration once. */
    async storeChanges(
      sql: Database,
      organizationId: string,
      compiled: CompiledDevice[],
    ): Promise<DeviceChange[]> {
      const configs = [...new Set(compiled.map(({ config }) => config))];
      const ids = await configurationsIn(sql).insert(configs.map((config) => ({ organizationId, config })));
      const idOf = new Map(configs.map((config, index) => [config, ids[index] as string]));
      return compiled.map(({ device, config }) => ({ device, changeId: idOf.get(config) as string }));
    },

    /** One entry per distinct configuration. Reads whole configurations of the devices that it compares, intervals of all. */
    async preview(
      sql: Database,
      organizationId: string,
      { profileSnapshot, compiled }: Plan<PreviewedDevice>,
      unstored?: ConfigurationContents,
    ): Promise<Preview[]> {
      const contents = await findKnown(sql, organizationId, comparedDevices(compiled), unstored);
      for (const slice of needsKnownIntervals(profileSnapshot) ? inSlices(compiled, pageSize) : []) {
        await deps.nextTurn();
        for (const [id, config] of await findKnown(sql, organizationId, devicesOf(slice)))
          if (!contents.has(id)) contents.set(id, without(config, ['alarmRules', 'calendars']) ?? {});
      }
      return previewCompiled(profileSnapshot, compiled, contents, deps.readAlerts);
    },
  };
}

const devicesOf = <Device extends DeviceVariant>(compiled: Array<Compiled<Device>>): Device[] =>
  compiled.map(({ device }) => device);
