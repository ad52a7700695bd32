/**
 * Recompiles for a device whose capabilities differ from those that its rules were compiled for: its channels
 * have moved, or it holds another number of rules. Its pending change and its running rules are compiled
 * again from the profiles of its jobs, so that they monitor the intended channels.
 */
import type { Sql } from '../db/database.ts';
import {
  type AlarmRule,
  type ConfigurationKey,
  contradictions,
  type DeviceConfiguration,
  merged,
  without,
} from '../devices/configuration.ts';
import type { ConfigurationsRepository } from '../devices/configurations.repository.ts';
import type { Device } from '../devices/device.ts';
import { mergeRecompiled } from '../devices/device-exchange.ts';
import { knownSettings, offeredPart } from '../devices/device-sync.ts';
import { grouped } from '../process/grouped.ts';
import { compileProfile } from '../profiles/compile-profile.ts';
import type { TemperatureAlert } from '../profiles/profile.ts';
import type { BroughtAlerts, DeviceTargetsRepository } from './device-targets.repository.ts';

interface RecompileDeps {
  configurationsIn(sql: Sql): Pick<ConfigurationsRepository, 'insert'>;
  targetsIn(sql: Sql): Pick<DeviceTargetsRepository, 'listActiveSnapshots' | 'listAlerts' | 'replaceChanges'>;
  now(): Date;
}

/** Returns the devices with their next pending changes, and with the rules that new hardware inherits. */
export function createRecompile(deps: RecompileDeps) {
  return async (sql: Sql, devices: Device[]): Promise<Device[]> => {
    const changes = await recompileChanges(deps, sql, devices);
    const offers = mergedOffers(devices, changes);
    const hasNewRules = new Set(changes.filter(setsRules).map(({ assetId }) => assetId));
    const listed = await deps.targetsIn(sql).listAlerts(devices.filter(hasRules));
    const alertsOf = grouped(listed, ({ assetId }) => assetId);
    return devices.map((device) => {
      const { assetId } = device;
      const brought = alertsOf.get(assetId) ?? [];
      const offer = offers.get(assetId) ?? null;
      const rules = hasNewRules.has(assetId) ? null : recompileRules(device, brought, offer, deps.now());
      return mergeRecompiled(withInheritedRules(device, brought, deps.now()), rules ?? offer ?? {});
    });
  };
}

/** Rules that new hardware inherits count for its own channels before it confirms any: the earlier channels are gone. */
function withInheritedRules(device: Device, brought: BroughtAlerts[], at: Date): Device {
  const { sync } = device;
  if (!sync.isInheriting) return device;
  const running = brought.filter(({ isPending }) => !isPending);
  const rules = recompileRules({ ...device, sync: { ...sync, pending: null } }, running, null, at);
  return rules ? { ...device, sync: { ...sync, confirmed: merged(sync.confirmed, rules) } } : device;
}

interface RecompiledChange {
  organizationId: string;
  assetId: string;
  jobId: string;
  config: DeviceConfiguration;
  isOffered: boolean;
  /** Settings whose pending value belongs to other changes; null: none. */
  lostKeys: ConfigurationKey[] | null;
}

/** Recompiles the active changes of jobs, the earliest first, and points their targets to the result. */
async function recompileChanges(
  { configurationsIn, targetsIn, now }: RecompileDeps,
  sql: Sql,
  devices: Device[],
): Promise<RecompiledChange[]> {
  const byId = new Map(devices.map((device) => [device.assetId, device]));
  const targets = await targetsIn(sql).listActiveSnapshots(devices);
  const changes = targets.map(({ profileSnapshot, ...target }) => {
    const { capabilities, sync } = byId.get(target.assetId) as Device;
    const known = knownSettings({
      pending: (sync.pending && offeredPart(sync.pending)) ?? undefined,
      reported: sync.reported?.config,
      confirmed: sync.confirmed ?? {},
    });
    return { ...target, config: compileProfile(profileSnapshot, capabilities, now(), known) };
  });
  const ids = await configurationsIn(sql).insert(changes);
  await targetsIn(sql).replaceChanges(
    changes.map((change, index) => ({ ...change, changeId: ids[index] as string })),
  );
  return changes;
}

/** The next pending change of each device that has another one. */
function mergedOffers(devices: Device[], changes: RecompiledChange[]) {
  const byId = new Map(devices.map((device) => [device.assetId, device]));
  const pending = new Map<string, DeviceConfiguration>();
  for (const { assetId, config, lostKeys } of changes.filter(({ isOffered }) => isOffered)) {
    const before = pending.get(assetId) ?? byId.get(assetId)?.sync.pending?.config ?? null;
    pending.set(assetId, merged(before, without(config, lostKeys ?? []) ?? {}));
  }
  return pending;
}

const setsRules = ({ isOffered, config, lostKeys }: RecompiledChange): boolean =>
  isOffered && config.alarmRules !== undefined && !lostKeys?.includes('alarmRules');

/**
 * The rules of the device, compiled from the alerts that made them: the alerts of the last job whose rules
 * differ in channels at most. Null when no job made them, or they stay as they are.
 */
function recompileRules(
  { capabilities, sync }: Device,
  brought: BroughtAlerts[],
  recompiled: DeviceConfiguration | null,
  at: Date,
): DeviceConfiguration | null {
  const pending = recompiled ?? sync.pending?.config ?? null;
  const known = merged(sync.confirmed, pending ?? {});
  const { alarmRules = [] } = known;
  const compile = (alerts: TemperatureAlert[]) =>
    compileProfile({ alerts, schedule: null, intervals: null }, capabilities, at, known);
  const fitting = brought
    .map(({ alerts }) => compile(alerts).alarmRules)
    .find((rules) => rules && areSame(withoutChannels(rules), withoutChannels(alarmRules)));
  if (!fitting) return null;
  // Pending rules are sent whole, with as many entries as the device holds; running rules stay if they do the
  // same.
  const isOther = pending?.alarmRules !== undefined || !areSame(fitting, alarmRules);
  return isOther ? merged(pending, { alarmRules: fitting }) : null;
}

/**
 * Whether the device runs rules or has pending ones. Refused rules count: with other channels they are
 * another change, which the device may accept. Running rules count in any case, so that they never monitor
 * the wrong sensor because another setting was refused.
 */
const hasRules = ({ sync: { pending, confirmed } }: Device) =>
  (pending?.config.alarmRules ?? confirmed?.alarmRules) !== undefined;

/** Rules without the parts that depend on channels; calendars refer to rules by position, which stays. */
const withoutChannels = (rules: AlarmRule[]): AlarmRule[] =>
  rules.map((rule) => (rule.condition === 'DISABLED' ? rule : { ...rule, slotNumbers: [] }));

const areSame = (a: AlarmRule[], b: AlarmRule[]) =>
  contradictions({ alarmRules: a }, { alarmRules: b }).length === 0;
