/** Compiles a profile for many devices: once per distinct case, so that all devices that are alike share one object. */
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
 * A schedule or a measurement interval alone applies to the alert rules that a device has already, and delays to the
 * measurement interval that it has: these then decide what the profile compiles to.
 */
export function needsKnownSettings({ alerts, schedule, intervals }: ProfileSnapshot): boolean {
  const setsInterval = intervals?.measurementIntervalMinutes !== undefined;
  if (alerts === null) return schedule !== null || setsInterval;
  return !setsInterval && alerts.some(({ delayMinutes = 0 }) => delayMinutes > 0);
}

/** One interval alone may not fit the other one that the device has. */
export const needsKnownIntervals = ({ intervals }: ProfileSnapshot) =>
  intervals !== null && Object.keys(intervals).length === 1;

/** What is pending for the device, what it reported, and what it confirmed: the first that sets a key counts. */
export const knownConfigIds = ({ pendingConfigId, reportedConfigId, confirmedConfigId }: ChangingDevice) => [
  pendingConfigId,
  reportedConfigId,
  confirmedConfigId,
];

/** `contents` are those of `knownConfigIds`, where the profile needs the settings of the devices. */
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

/** With another measurement interval, rules with a delay wait for another number of samples. */
function withRulesByInterval(change: DeviceConfiguration, known: DeviceConfiguration): DeviceConfiguration {
  if (change.alarmRules || !known.alarmRules || !change.measurementPeriodBase) return change;
  const alarmRules = rulesByInterval(known.alarmRules, measurementIntervalSeconds(change));
  return alarmRules ? { ...change, alarmRules } : change;
}

/** One entry per distinct configuration. `contents` are those of `knownConfigIds`, where the profile needs intervals. */
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

/** Whether a device neither runs nor is to run what it compiles to. `contents` are those of `knownConfigIds`. */
export const lacksConfig = (contents: ConfigurationContents) =>
  memoizedByConfig(({ device, config }) => !includes(knownConfig(device, contents), config));

/** Once per distinct case, and not per device. */
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

function byConfig(compiled: CompiledDevice[]): Map<DeviceConfiguration, CompiledDevice[]> {
  const groups = new Map<DeviceConfiguration, CompiledDevice[]>();
  for (const each of compiled) {
    const alike = groups.get(each.config) ?? [];
    alike.push(each);
    groups.set(each.config, alike);
  }
  return groups;
}

/** What the device would run, as far as its settings are known. */
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
