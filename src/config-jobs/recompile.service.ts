/**
 * A device turns out to be another variant than its rules were compiled for: its channels are elsewhere, or it holds
 * more rules. What waits for it, and what it runs, is compiled again from what the jobs were given, so that it guards
 * what was meant.
 */
import type { Sql } from '../db/database.ts';
import {
  type AlarmRule,
  contradictions,
  type DeviceConfiguration,
  merged,
} from '../devices/configuration.ts';
import type { ConfigurationsRepository } from '../devices/configurations.repository.ts';
import type { Device } from '../devices/device.ts';
import { compileProfile } from '../profiles/compile-profile.ts';
import type { ConfigTargetsRepository } from './config-targets.repository.ts';

export interface RecompileDeps {
  configurationsIn(sql: Sql): Pick<ConfigurationsRepository, 'insert'>;
  targetsIn(sql: Sql): Pick<ConfigTargetsRepository, 'listActiveSnapshots' | 'listAlerts' | 'replaceChanges'>;
  now(): Date;
}

/** What each device should have from now on; one that no job gave its rules keeps what it has. */
export type Recompile = (sql: Sql, devices: Device[]) => Promise<Map<string, DeviceConfiguration>>;

export function createRecompile({ configurationsIn, targetsIn, now }: RecompileDeps): Recompile {
  return async (sql, devices) => {
    const byId = new Map(devices.map((device) => [device.assetId, device]));
    const targets = await targetsIn(sql).listActiveSnapshots([...byId.keys()]);
    const changes = targets.map((target) => {
      const { capabilities, sync, organizationId } = byId.get(target.assetId) as Device;
      const rules = sync.pending?.config.alarmRules ?? sync.reported?.config.alarmRules ?? null;
      return { ...target, organizationId, config: compileProfile(target.parts, capabilities, now(), rules) };
    });
    const ids = await configurationsIn(sql).insert(changes);
    await targetsIn(sql).replaceChanges(
      changes.map(({ jobId, assetId }, index) => ({ jobId, assetId, changeId: ids[index] as string })),
    );
    const pending = new Map<string, DeviceConfiguration>();
    for (const { assetId, config, isOffered } of changes) {
      if (!isOffered) continue;
      const before = pending.get(assetId) ?? byId.get(assetId)?.sync.pending?.config ?? null;
      pending.set(assetId, merged(before, config));
    }
    const done = new Set(
      changes.filter(({ isOffered, config }) => isOffered && config.alarmRules).map(({ assetId }) => assetId),
    );
    const others = devices.filter((device) => hasRules(device) && !done.has(device.assetId));
    const brought = await targetsIn(sql).listAlerts(others.map(({ assetId }) => assetId));
    for (const { assetId, capabilities, sync } of others) {
      const waiting = pending.get(assetId) ?? sync.pending?.config ?? null;
      const { alarmRules = [] } = merged(sync.confirmed, waiting ?? {});
      const fitting = brought
        .filter((each) => each.assetId === assetId)
        .map(
          ({ alerts }) =>
            compileProfile({ alerts, schedule: null, intervals: null }, capabilities, now()).alarmRules,
        )
        .find((rules) => rules && areSame(withoutChannels(rules), withoutChannels(alarmRules)));
      // What waits goes out whole, as long as the device's list is; what runs is left alone while it does the same.
      const isOther = waiting?.alarmRules !== undefined || !areSame(fitting ?? [], alarmRules);
      if (fitting && isOther) pending.set(assetId, merged(waiting, { alarmRules: fitting }));
    }
    return pending;
  };
}

/**
 * It runs rules, or they wait for it. Also those that it refused: for other channels they are another change, which it
 * may take; and what runs must not guard the wrong sensor because something else was refused.
 */
const hasRules = ({ sync: { pending, confirmed } }: Device) =>
  (pending?.config.alarmRules ?? confirmed?.alarmRules) !== undefined;

/** All that the channels of a device decide about its rules; calendars name rules by their positions, which stay. */
const withoutChannels = (rules: AlarmRule[]): AlarmRule[] =>
  rules.map((rule) => (rule.condition === 'DISABLED' ? rule : { ...rule, slotNumbers: [] }));

const areSame = (a: AlarmRule[], b: AlarmRule[]) =>
  contradictions({ alarmRules: a }, { alarmRules: b }).length === 0;
