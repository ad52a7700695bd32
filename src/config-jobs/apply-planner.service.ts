/** Plans an apply: the devices, which it locks, and the configuration for each. */
import type { Database } from '../db/database.ts';
import type { Transaction } from '../db/transaction.ts';
import type { ConfigurationContents } from '../devices/configuration-id.ts';
import type { ConfigurationsRepository } from '../devices/configurations.repository.ts';
import type {
  ChangingDevice,
  CountedVariant,
  DeviceScope,
  DeviceVariant,
  PendingChangesRepository,
} from '../devices/pending-changes.repository.ts';
import { notFound } from '../process/errors.ts';
import type { ProfileSnapshot } from '../profiles/compile-profile.ts';
import { NO_SUCH_PROFILE, type Profile } from '../profiles/profile.ts';
import type { DeviceChange } from './changes.service.ts';
import { inOrderOf } from './chosen-serials.ts';
import {
  type Compiled,
  type CompiledDevice,
  comparedDevices,
  compileDevices,
  knownConfigIds,
  needsKnownIntervals,
  needsKnownSettings,
} from './compile-devices.ts';
import type { GroupChanges } from './group-changes.service.ts';

export interface ApplyPlannerDeps {
  profilesIn(sql: Database): { find(organizationId: string, slug: string): Promise<Profile | null> };
  configurationsIn(sql: Database): Pick<ConfigurationsRepository, 'find' | 'insert'>;
  pendingIn(sql: Database): PendingChangesRepository;
  groupChanges: Pick<GroupChanges, 'finishWithdrawals'>;
  now(): Date;
}

export interface Plan<Device extends DeviceVariant> {
  profileSnapshot: ProfileSnapshot;
  /** Devices are ordered as the request names the serials, else by asset id. */
  compiled: Array<Compiled<Device>>;
}

export type ApplyPlan = Plan<ChangingDevice>;

/** Devices by serial number, else all active ones, of the group if one is given. */
export interface ChosenDevices {
  serialNumbers: string[] | null;
  groupId: string | null;
}

export interface PlanRequest {
  organizationId: string;
  slug: string;
  chosen: ChosenDevices;
}

export type ApplyPlanner = ReturnType<typeof createApplyPlanner>;

export function createApplyPlanner(deps: ApplyPlannerDeps) {
  const { profilesIn, configurationsIn, pendingIn, groupChanges, now } = deps;

  const findKnown = (sql: Database, organizationId: string, devices: DeviceVariant[]) =>
    configurationsIn(sql).find([{ organizationId, configIds: devices.flatMap(knownConfigIds) }]);

  /** @throws not found */
  async function findSnapshot(sql: Database, organizationId: string, slug: string): Promise<ProfileSnapshot> {
    const profile = await profilesIn(sql).find(organizationId, slug);
    if (!profile) throw notFound(NO_SUCH_PROFILE);
    return { alerts: profile.temperatureAlerts, schedule: profile.schedule, intervals: profile.intervals };
  }

  async function compile<Device extends DeviceVariant>(
    sql: Database,
    organizationId: string,
    profileSnapshot: ProfileSnapshot,
    devices: Device[],
  ): Promise<Array<Compiled<Device>>> {
    const contents = await findKnown(sql, organizationId, needsKnownSettings(profileSnapshot) ? devices : []);
    return compileDevices(profileSnapshot, devices, contents, now());
  }

  return {
    findSnapshot,
    compile,
    findKnown,

    /**
     * Locks the devices, except for a preview.
     * @throws not found when there is no such profile, or a serial has no active device.
     */
    async plan(
      tx: Transaction,
      { organizationId, slug, chosen }: PlanRequest,
      { isPreview = false } = {},
    ): Promise<ApplyPlan> {
      const { sql } = tx;
      const profileSnapshot = await findSnapshot(sql, organizationId, slug);
      const choose = isPreview ? listing(pendingIn(sql)) : locking(pendingIn(sql));
      const found = await findChosen(choose, organizationId, chosen);
      const devices = isPreview ? found : await groupChanges.finishWithdrawals(tx, organizationId, found);
      return { profileSnapshot, compiled: await compile(sql, organizationId, profileSnapshot, devices) };
    },

    /** A plan for all devices, or those of a group, that counts them by variant instead of listing them. */
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

    /** The configurations that the preview of a plan depends on. */
    findForPreview<Device extends DeviceVariant>(
      sql: Database,
      organizationId: string,
      { profileSnapshot, compiled }: Plan<Device>,
    ): Promise<ConfigurationContents> {
      const isForAll = needsKnownIntervals(profileSnapshot);
      const devices = isForAll ? compiled.map(({ device }) => device) : comparedDevices(compiled);
      return findKnown(sql, organizationId, devices);
    },
  };
}

interface Choice {
  all(scope: DeviceScope): Promise<ChangingDevice[]>;
  bySerial(organizationId: string, serials: string[]): Promise<ChangingDevice[]>;
}

const listing = (pending: PendingChangesRepository): Choice => ({
  all: pending.listAllActive,
  bySerial: pending.listSerials,
});
const locking = (pending: PendingChangesRepository): Choice => ({
  all: pending.lockAllActive,
  bySerial: pending.lockSerials,
});

async function findChosen(
  choose: Choice,
  organizationId: string,
  { serialNumbers, groupId }: ChosenDevices,
): Promise<ChangingDevice[]> {
  if (serialNumbers === null) return choose.all({ organizationId, groupId });
  return inOrderOf(serialNumbers, await choose.bySerial(organizationId, serialNumbers));
}
