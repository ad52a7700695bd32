/** The settings that a change would replace on devices with the same settings, for previews. */
import type { Severity } from '../devices/alert-terms.ts';
import { calendarsText } from '../devices/calendars-text.ts';
import {
  type ConfigurationKey,
  contradictions,
  type DeviceConfiguration,
  keysOf,
  measurementIntervalSeconds,
} from '../devices/configuration.ts';
import { type Layout, type ProbePosition, positionAt } from '../devices/device-capabilities.ts';

/** In the order of previews. */
export const SETTINGS = [
  'lowC',
  'highC',
  'hysteresisC',
  'delayMinutes',
  'severity',
  'schedule',
  'measurementIntervalSeconds',
  'transmissionIntervalSeconds',
  'alarmRules',
] as const;
export type SettingName = (typeof SETTINGS)[number];
type SettingValue = number | string | null;

export interface ChangedSetting {
  /** `alarmRules`: details of the rules beyond the others, such as when the device transmits. */
  setting: SettingName;
  /** Channel of the alert; left out for other settings. */
  channel?: number;
  /** Of the channel; null: the device has none there. */
  position?: ProbePosition | null;
  /** Null: there is none. Left out: the device has not shown it yet. */
  from?: SettingValue;
  /** Null: there will be none. */
  to: SettingValue;
}

/** The part of an alert's definition that previews compare. */
interface DefinedAlert {
  channel: number;
  bounds: { lowC: number | null; highC: number | null; hysteresisC: number };
  delayMinutes: number;
  severity: Severity;
}

export type ReadAlerts = (config: DeviceConfiguration) => readonly DefinedAlert[];

interface Setting {
  setting: SettingName;
  channel?: number;
  value: SettingValue;
}

export function changedSettings(
  known: DeviceConfiguration,
  change: DeviceConfiguration,
  { readAlerts, layout }: { readAlerts: ReadAlerts; layout: Layout },
): ChangedSetting[] {
  const [before, after] = [settingsOf(known, readAlerts), settingsOf(change, readAlerts)];
  const names = [...new Set([...after.keys(), ...before.keys()])];
  const changed = names.flatMap((name) => {
    const { setting, channel } = (after.get(name) ?? before.get(name)) as Setting;
    const key = KEY_OF[setting];
    if (change[key] === undefined) return [];
    const absent = ABSENT[setting] ?? null;
    const to = after.get(name)?.value ?? absent;
    const from = before.get(name)?.value ?? absent;
    const isKnown = known[key] !== undefined;
    if (isKnown ? from === to : to === absent) return [];
    const on = channel !== undefined && { channel, position: positionAt(channel, layout) };
    return [{ setting, ...on, ...(isKnown && { from }), to }];
  });
  return [...changed, ...detailsOf(known, change, changed)].sort(inOrder);
}

/** Rules may differ in more than their alerts. */
function detailsOf(
  known: DeviceConfiguration,
  change: DeviceConfiguration,
  changed: readonly ChangedSetting[],
): ChangedSetting[] {
  const isSeen = changed.some(({ setting }) => KEY_OF[setting] === 'alarmRules');
  const isKnown = known.alarmRules !== undefined;
  const differs = isKnown ? contradictions(known, change).includes('alarmRules') : 'alarmRules' in change;
  return differs && !isSeen ? [{ setting: 'alarmRules', ...(isKnown && { from: null }), to: null }] : [];
}

const inOrder = (a: ChangedSetting, b: ChangedSetting): number =>
  (a.channel ?? CHANNELS_MAX) - (b.channel ?? CHANNELS_MAX) ||
  SETTINGS.indexOf(a.setting) - SETTINGS.indexOf(b.setting);

const CHANNELS_MAX = 100;

const KEY_OF: Record<SettingName, ConfigurationKey> = {
  lowC: 'alarmRules',
  highC: 'alarmRules',
  hysteresisC: 'alarmRules',
  delayMinutes: 'alarmRules',
  severity: 'alarmRules',
  alarmRules: 'alarmRules',
  schedule: 'calendars',
  measurementIntervalSeconds: 'measurementPeriodBase',
  transmissionIntervalSeconds: 'transmissionInterval',
};

/** Values of an alert that there is not, so that a new one shows nothing but where it differs from these. */
const ABSENT: Partial<Record<SettingName, SettingValue>> = {
  hysteresisC: 0,
  delayMinutes: 0,
  severity: 'critical',
};

/** By name, which has the channel and the number of the alert on its channel. */
function settingsOf(config: DeviceConfiguration, readAlerts: ReadAlerts): Map<string, Setting> {
  const settings = new Map<string, Setting>();
  const add = (setting: SettingName, value: SettingValue) => settings.set(setting, { setting, value });
  const keys = keysOf(config);
  if (keys.includes('measurementPeriodBase'))
    add('measurementIntervalSeconds', measurementIntervalSeconds(config));
  if (config.transmissionInterval !== undefined)
    add('transmissionIntervalSeconds', config.transmissionInterval);
  if (config.calendars) add('schedule', calendarsText(config.calendars));
  const onChannel = new Map<number, number>();
  for (const { channel, bounds, delayMinutes, severity } of readAlerts(config)) {
    const number = onChannel.get(channel) ?? 0;
    onChannel.set(channel, number + 1);
    for (const [setting, value] of Object.entries({ ...bounds, delayMinutes, severity }))
      settings.set(`${channel} ${number} ${setting}`, { setting: setting as SettingName, channel, value });
  }
  return settings;
}
