/**
 * Compiles a profile for many devices: once per distinct case, and devices that are alike share the result.
 */
import {
  type ConfigurationContents,
  type ConfigurationKey,
  contentOf,
  type DeviceConfiguration,
  includes,
  measurementIntervalSeconds,
  merged,
  withOffsets,
  without,
  withoutTerms,
} from '../devices/configuration.ts';
import { capabilitiesKey, type DeviceCapabilities, toRuleSlots } from '../devices/device-capabilities.ts';
import { knownSettings } from '../devices/device-sync.ts';
import type { ChangingDevice, DeviceVariant } from '../devices/pending-changes.repository.ts';
import { grouped } from '../process/grouped.ts';
import { memoized } from '../process/memoized.ts';
import { rulesByInterval } from '../profiles/compile-alerts.ts';
import { compileProfile, type ProfileSnapshot } from '../profiles/compile-profile.ts';
import { compileWarnings, mergedWarnings } from '../profiles/compile-warnings.ts';
import { type ChangedSetting, changedSettings, type ReadAlerts } from './changed-settings.ts';

export interface Compiled<Device extends DeviceVariant> {
  device: Device;
  /** The same object for all devices that compile alike. */
  config: DeviceConfiguration;
}

export type CompiledDevice = Compiled<ChangingDevice>;

/** One device, or as many as are counted. */
export type PreviewedDevice = DeviceVariant & { deviceCount?: number };

type Previewed = Compiled<PreviewedDevice>;

export interface Preview {
  config: DeviceConfiguration;
  deviceCount: number;
  warnings: string[];
  /** Devices that run it already, or are offered it. */
  unchangedCount: number;
  /** Other devices by the settings that change, the most first; some may be left out. */
  changes: Array<{ deviceCount: number; settings: ChangedSetting[] }>;
}

/** Entries of a preview. */
const CHANGES_MAX = 20;
/** Distinct settings of devices that a preview compares. */
const COMPARED_MAX = 1_000;

/**
 * Whether the settings that a device has already decide how the profile compiles: a profile with only a
 * schedule or a measurement interval reuses the alert rules of the device, and delays depend on its
 * measurement interval.
 */
export function needsKnownSettings({ alerts, schedule, intervals }: ProfileSnapshot): boolean {
  const setsInterval = intervals?.measurementIntervalMinutes !== undefined;
  if (alerts === null) return schedule !== null || setsInterval;
  return !setsInterval && alerts.some(({ delayMinutes = 0 }) => delayMinutes > 0);
}

/** One interval that is set alone may not fit the other one of the device. */
export const needsKnownIntervals = ({ intervals }: ProfileSnapshot) =>
  intervals !== null && Object.keys(intervals).length === 1;

/** The pending, reported and confirmed configuration of a device; the first one that sets a key counts. */
export const knownConfigIds = ({ pendingConfigId, reportedConfigId, confirmedConfigId }: DeviceVariant) => [
  pendingConfigId,
  reportedConfigId,
  confirmedConfigId,
];

/**
 * `contents` holds the configurations of `knownConfigIds`, if the profile needs the settings of the devices.
 */
export function compileDevices<Device extends DeviceVariant>(
  profile: ProfileSnapshot,
  devices: Device[],
  contents: ConfigurationContents,
  at: Date,
): Array<Compiled<Device>> {
  const isByDevice = needsKnownSettings(profile);
  const compile = memoized(
    (device: Device) => `${capabilitiesKey(toCapabilities(device))} ${isByDevice ? keptKey(device) : ''}`,
    (device) => {
      const known = isByDevice ? keptConfig(device, contents) : {};
      return withRulesByInterval(compileProfile(profile, toCapabilities(device), at, known), known);
    },
  );
  return devices.map((device) => ({ device, config: compile(device) }));
}

/** Another measurement interval changes the number of samples that rules with a delay wait for. */
function withRulesByInterval(change: DeviceConfiguration, known: DeviceConfiguration): DeviceConfiguration {
  if (change.alarmRules || !known.alarmRules || !change.measurementPeriodBase) return change;
  const alarmRules = rulesByInterval(known.alarmRules, measurementIntervalSeconds(change));
  return alarmRules ? { ...change, alarmRules } : change;
}

/**
 * One entry per distinct configuration. `contents` holds the configurations of the devices that
 * `comparedDevices` returns, and all `knownConfigIds` if the profile needs intervals.
 */
export function previewCompiled(
  profile: ProfileSnapshot,
  compiled: Previewed[],
  contents: ConfigurationContents,
  readAlerts: ReadAlerts,
): Preview[] {
  const isCompared = new Set(comparedDevices(compiled));
  return [...byConfig(compiled)].map(([config, alike]) => ({
    config: withoutTerms(config),
    deviceCount: countOf(alike),
    warnings: [
      ...compileWarnings(profile, toCapabilities((alike[0] as Previewed).device)),
      ...(needsKnownIntervals(profile)
        ? mergedWarnings(
            alike.map(({ device }) => ({
              config: merged(keptConfig(device, contents), config),
              deviceCount: device.deviceCount ?? 1,
            })),
          )
        : []),
    ],
    ...countChanges(
      config,
      alike.map(({ device }) => device).filter((device) => isCompared.has(device)),
      { contents, readAlerts },
    ),
  }));
}

/** The devices whose settings a preview compares: one for each of the known settings, up to a limit of these. */
export function comparedDevices(compiled: Previewed[]): DeviceVariant[] {
  const settings = new Set<string>();
  return compiled.flatMap(({ device }) => {
    const key = keptKey(device);
    if (settings.size === COMPARED_MAX && !settings.has(key)) return [];
    settings.add(key);
    return [device];
  });
}

function countChanges(
  config: DeviceConfiguration,
  devices: PreviewedDevice[],
  { contents, readAlerts }: { contents: ConfigurationContents; readAlerts: ReadAlerts },
): Pick<Preview, 'unchangedCount' | 'changes'> {
  const compare = memoized(
    (device: DeviceVariant) => `${capabilitiesKey(toCapabilities(device))} ${keptKey(device)}`,
    (device) => {
      const known = keptConfig(device, contents);
      const by = { readAlerts, layout: toCapabilities(device) };
      return includes(known, config) ? '' : JSON.stringify(changedSettings(known, config, by));
    },
  );
  const counts = new Map<string, number>();
  for (const device of devices) {
    const settings = compare(device);
    counts.set(settings, (counts.get(settings) ?? 0) + (device.deviceCount ?? 1));
  }
  const changes = [...counts].filter(([settings]) => settings !== '').sort(([, a], [, b]) => b - a);
  return {
    unchangedCount: counts.get('') ?? 0,
    changes: changes
      .slice(0, CHANGES_MAX)
      .map(([settings, deviceCount]) => ({ deviceCount, settings: JSON.parse(settings) })),
  };
}

const countOf = (compiled: Previewed[]): number =>
  compiled.reduce((count, { device: { deviceCount = 1 } }) => count + deviceCount, 0);

/**
 * Whether the device lacks the compiled configuration: it neither runs it, nor is offered it, nor has refused it. Refused
 * calendars are not offered again because the clocks have changed: `offsets` are those of their zone in the year. `contents`
 * holds the configurations of `knownConfigIds`.
 */
export const lacksConfig = (contents: ConfigurationContents, offsets: readonly number[]) =>
  memoizedByConfig(({ device, config }) => {
    const known = knownConfig(device, contents);
    if (!device.refusedKeys?.includes('calendars')) return !includes(known, config);
    const unified = (minutes: number) => (offsets.includes(minutes) ? (offsets[0] as number) : minutes);
    return !includes(withOffsets(known, unified), withOffsets(config, unified));
  });

/** Caches the result per distinct configuration and known settings of the device. */
function memoizedByConfig<Value>(make: (each: CompiledDevice) => Value): (each: CompiledDevice) => Value {
  const forConfig = memoized(
    (config: DeviceConfiguration) => config,
    () => memoized(({ device }: CompiledDevice) => keptKey(device), make),
  );
  return (each) => forConfig(each.config)(each);
}

export const toCapabilities = ({ model, channelTypes, ruleSlots }: DeviceVariant): DeviceCapabilities => ({
  model,
  channelTypes,
  ruleSlots: toRuleSlots(ruleSlots),
});

/** Devices that were compiled in different chunks have equal configurations, and not the same ones. */
function byConfig(compiled: Previewed[]): Map<DeviceConfiguration, Previewed[]> {
  const firstOf = memoized(
    (config: DeviceConfiguration) => JSON.stringify(config),
    (config) => config,
  );
  // Most devices share one object, whose text is then made once.
  const equalTo = memoized((config: DeviceConfiguration) => config, firstOf);
  return grouped(compiled, ({ config }) => equalTo(config));
}

/** Settings that the device runs or is offered, except the pending ones that it refused. */
const keptConfig = (device: DeviceVariant, contents: ConfigurationContents): DeviceConfiguration =>
  knownConfig(device, contents, device.refusedKeys ?? []);

const keptKey = (device: DeviceVariant): string =>
  `${knownConfigIds(device).join()} ${device.refusedKeys?.join()}`;

export function knownConfig(
  device: DeviceVariant,
  contents: ConfigurationContents,
  leftOut: readonly ConfigurationKey[] = [],
): DeviceConfiguration {
  const [pending, reported, confirmed] = knownConfigIds(device).map((id) =>
    id === null ? {} : contentOf(contents, id),
  );
  return knownSettings({ pending: without(pending ?? {}, leftOut) ?? {}, reported, confirmed });
}
