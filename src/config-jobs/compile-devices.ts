/**
 * Compiles a profile for many devices: once per distinct case, and devices that are alike share the result.
 */
import { type DeviceConfiguration, includes, merged, withoutTerms } from '../devices/configuration.ts';
import { type ConfigurationContents, contentOf } from '../devices/configuration-id.ts';
import { capabilitiesKey, type DeviceCapabilities, toRuleSlots } from '../devices/device-capabilities.ts';
import { knownSettings } from '../devices/device-sync.ts';
import { measurementIntervalSeconds } from '../devices/measurement-interval.ts';
import type { ChangingDevice } from '../devices/pending-changes.repository.ts';
import { rulesByInterval } from '../profiles/compile-alerts.ts';
import { compileProfile, type ProfileSnapshot } from '../profiles/compile-profile.ts';
import { compileWarnings, mergedWarnings } from '../profiles/compile-warnings.ts';
import { memoized } from './changes.ts';

export interface CompiledDevice {
  device: ChangingDevice;
  /** The same object for all devices that compile alike. */
  config: DeviceConfiguration;
}

export interface Preview {
  config: DeviceConfiguration;
  deviceCount: number;
  warnings: string[];
}

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
export const knownConfigIds = ({ pendingConfigId, reportedConfigId, confirmedConfigId }: ChangingDevice) => [
  pendingConfigId,
  reportedConfigId,
  confirmedConfigId,
];

/**
 * `contents` holds the configurations of `knownConfigIds`, if the profile needs the settings of the devices.
 */
export function compileDevices(
  profile: ProfileSnapshot,
  devices: ChangingDevice[],
  contents: ConfigurationContents,
  at: Date,
): CompiledDevice[] {
  const isByDevice = needsKnownSettings(profile);
  const ownConfigIds = (device: ChangingDevice) => (isByDevice ? knownConfigIds(device) : []);
  const compile = memoized(
    (device: ChangingDevice) => `${capabilitiesKey(toCapabilities(device))} ${ownConfigIds(device).join()}`,
    (device) => {
      const known = isByDevice ? knownConfig(device, contents) : {};
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
 * One entry per distinct configuration. `contents` holds the configurations of `knownConfigIds`, if the
 * profile needs intervals.
 */
export function previewCompiled(
  profile: ProfileSnapshot,
  compiled: CompiledDevice[],
  contents: ConfigurationContents,
): Preview[] {
  return [...byConfig(compiled)].map(([config, alike]) => ({
    config: withoutTerms(config),
    deviceCount: alike.length,
    warnings: [
      ...compileWarnings(profile, toCapabilities((alike[0] as CompiledDevice).device)),
      ...(needsKnownIntervals(profile)
        ? mergedWarnings(alike.map((each) => mergedOverKnown(each, contents)))
        : []),
    ],
  }));
}

/**
 * Whether the device lacks the compiled configuration: it neither runs it nor is offered it. `contents` holds
 * the configurations of `knownConfigIds`.
 */
export const lacksConfig = (contents: ConfigurationContents) =>
  memoizedByConfig(({ device, config }) => !includes(knownConfig(device, contents), config));

/** Caches the result per distinct configuration and known settings of the device. */
function memoizedByConfig<Value>(make: (each: CompiledDevice) => Value): (each: CompiledDevice) => Value {
  const byConfigOf = new Map<DeviceConfiguration, (each: CompiledDevice) => Value>();
  return (each) => {
    const known =
      byConfigOf.get(each.config) ?? memoized(({ device }) => knownConfigIds(device).join(), make);
    byConfigOf.set(each.config, known);
    return known(each);
  };
}

const toCapabilities = ({ model, channelTypes, ruleSlots }: ChangingDevice): DeviceCapabilities => ({
  model,
  channelTypes,
  ruleSlots: toRuleSlots(ruleSlots),
});

/** Devices that were compiled in different chunks have equal configurations, and not the same ones. */
function byConfig(compiled: CompiledDevice[]): Map<DeviceConfiguration, CompiledDevice[]> {
  const firstOf = memoized(
    (config: DeviceConfiguration) => JSON.stringify(config),
    (config) => config,
  );
  const equal = new Map<DeviceConfiguration, DeviceConfiguration>();
  const groups = new Map<DeviceConfiguration, CompiledDevice[]>();
  for (const each of compiled) {
    const config = equal.get(each.config) ?? firstOf(each.config);
    equal.set(each.config, config);
    const alike = groups.get(config) ?? [];
    alike.push(each);
    groups.set(config, alike);
  }
  return groups;
}

/** The configuration that the device would run, as far as its settings are known. */
const mergedOverKnown = (
  { device, config }: CompiledDevice,
  contents: ConfigurationContents,
): DeviceConfiguration => merged(knownConfig(device, contents), config);

function knownConfig(device: ChangingDevice, contents: ConfigurationContents): DeviceConfiguration {
  const [pending, reported, confirmed] = knownConfigIds(device).map((id) =>
    id === null ? {} : contentOf(contents, id),
  );
  return knownSettings({ pending, reported, confirmed });
}
