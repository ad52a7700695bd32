/** Compiles a profile for many devices: once per distinct case, so that all devices that are alike share one object. */
import { type DeviceConfiguration, includes, merged } from '../devices/configuration.ts';
import { type ConfigurationContents, contentOf } from '../devices/configuration-id.ts';
import { capabilitiesKey, type DeviceCapabilities, toRuleSlots } from '../devices/device-capabilities.ts';
import type { ChangingDevice } from '../devices/pending-changes.repository.ts';
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

/** A schedule alone applies to the alert rules that a device has already, which then decide what it compiles to. */
export const needsKnownRules = ({ alerts, schedule }: ProfileSnapshot) =>
  alerts === null && schedule !== null;

/** One interval alone may not fit the other one that the device has. */
export const needsKnownIntervals = ({ intervals }: ProfileSnapshot) =>
  intervals !== null && Object.keys(intervals).length === 1;

/** What is pending for the device, what it reported, and what it confirmed: the first that sets a key counts. */
export const knownConfigIds = ({ pendingConfigId, reportedConfigId, confirmedConfigId }: ChangingDevice) => [
  pendingConfigId,
  reportedConfigId,
  confirmedConfigId,
];

/** `contents` are those of `knownConfigIds`, where the profile needs the rules of the devices. */
export function compileDevices(
  profile: ProfileSnapshot,
  devices: ChangingDevice[],
  contents: ConfigurationContents,
  at: Date,
): CompiledDevice[] {
  const ownConfigIds = (device: ChangingDevice) => (needsKnownRules(profile) ? knownConfigIds(device) : []);
  const rulesOf = (device: ChangingDevice) =>
    ownConfigIds(device)
      .map((id) => (id === null ? undefined : contentOf(contents, id).alarmRules))
      .find((rules) => rules !== undefined) ?? null;
  const compile = memoized(
    (device: ChangingDevice) => `${capabilitiesKey(toCapabilities(device))} ${ownConfigIds(device).join()}`,
    (device) => compileProfile(profile, toCapabilities(device), at, rulesOf(device)),
  );
  return devices.map((device) => ({ device, config: compile(device) }));
}

/** One entry per distinct configuration. `contents` are those of `knownConfigIds`, where the profile needs intervals. */
export function previewCompiled(
  profile: ProfileSnapshot,
  compiled: CompiledDevice[],
  contents: ConfigurationContents,
): Preview[] {
  return [...byConfig(compiled)].map(([config, alike]) => ({
    config,
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

const knownConfig = (device: ChangingDevice, contents: ConfigurationContents): DeviceConfiguration =>
  knownConfigIds(device)
    .toReversed()
    .map((id) => (id === null ? {} : contentOf(contents, id)))
    .reduce(merged);
