/**
 * A device turns out to be another variant than a change was compiled for: its channels are elsewhere, or it holds more
 * rules. What waits for it is compiled again from what the jobs were given, so that it guards what was meant.
 */
import type { Sql } from '../db/database.ts';
import { type DeviceConfiguration, merged } from '../devices/configuration.ts';
import type { ConfigurationsRepository } from '../devices/configurations.repository.ts';
import type { Device } from '../devices/device.ts';
import { compileProfile } from '../profiles/compile-profile.ts';
import type { ConfigTargetsRepository } from './config-targets.repository.ts';

export interface RecompileDeps {
  configurationsIn(sql: Sql): Pick<ConfigurationsRepository, 'insert'>;
  targetsIn(sql: Sql): Pick<ConfigTargetsRepository, 'listLiveParts' | 'replaceChanges'>;
  now(): Date;
}

/** What is pending for each device from now on; a device without a job that waits keeps what it has. */
export type Recompile = (sql: Sql, devices: Device[]) => Promise<Map<string, DeviceConfiguration>>;

export function createRecompile({ configurationsIn, targetsIn, now }: RecompileDeps): Recompile {
  return async (sql, devices) => {
    const byId = new Map(devices.map((device) => [device.assetId, device]));
    const targets = await targetsIn(sql).listLiveParts([...byId.keys()]);
    const changes = targets.map((target) => {
      const { variant, sync, organizationId } = byId.get(target.assetId) as Device;
      const rules = sync.pending?.config.alarmRules ?? sync.reported?.config.alarmRules ?? null;
      return { ...target, organizationId, config: compileProfile(target.parts, variant, now(), rules) };
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
    return pending;
  };
}
