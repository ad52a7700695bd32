/** The changes of an apply in words, for all variants of devices together. */
import type { ChangedSetting, SettingName } from '../config-jobs/changed-settings.ts';
import type { Preview } from '../config-jobs/compile-devices.ts';
import { namedChannel } from '../devices/device-capabilities.ts';
import { duration } from './configuration-html.ts';

export interface ChangeInWords {
  label: string;
  from: string;
  to: string;
}

export interface ChangeOfDevices {
  deviceCount: number;
  settings: ChangeInWords[];
}

export interface ChangesInWords {
  unchangedCount: number;
  /** The most devices first. */
  changes: ChangeOfDevices[];
  /** Devices whose changes are not listed. */
  otherCount: number;
}

export function toChangesInWords(preview: readonly Preview[]): ChangesInWords {
  const sum = (count: (each: Preview) => number) => preview.reduce((total, each) => total + count(each), 0);
  const unchangedCount = sum((each) => each.unchangedCount);
  const bySettings = new Map<string, number>();
  for (const { deviceCount, settings } of preview.flatMap(({ changes }) => changes)) {
    const key = JSON.stringify(settings.map(toWords));
    bySettings.set(key, (bySettings.get(key) ?? 0) + deviceCount);
  }
  const changes = [...bySettings].map(([settings, deviceCount]) => ({
    deviceCount,
    settings: JSON.parse(settings) as ChangeInWords[],
  }));
  const listedCount = changes.reduce((total, { deviceCount }) => total + deviceCount, 0);
  return {
    unchangedCount,
    changes: changes.sort((a, b) => b.deviceCount - a.deviceCount),
    otherCount: sum(({ deviceCount }) => deviceCount) - unchangedCount - listedCount,
  };
}

const toWords = ({ setting, channel, position = null, from, to }: ChangedSetting): ChangeInWords => {
  const { label, show } = WORDS[setting];
  const toText = (value: string | number | null) => (value === null ? 'none' : show(value));
  return {
    label: channel === undefined ? label : `${label} on ${namedChannel(channel, position)}`,
    from: setting === 'alarmRules' ? '' : from === undefined ? 'not known' : toText(from),
    to: setting === 'alarmRules' ? '' : toText(to),
  };
};

interface Words {
  label: string;
  show(value: string | number): string;
}

const inC = (value: string | number) => `${value} °C`;
const every = (value: string | number) => duration(Number(value));

const WORDS: Record<SettingName, Words> = {
  lowC: { label: 'Low alert', show: inC },
  highC: { label: 'High alert', show: inC },
  hysteresisC: { label: 'Hysteresis', show: inC },
  delayMinutes: { label: 'Delay of the alert', show: (value) => `${value} min` },
  severity: { label: 'Severity', show: String },
  schedule: { label: 'Alerts are on', show: String },
  measurementIntervalSeconds: { label: 'Measures every', show: every },
  transmissionIntervalSeconds: { label: 'Transmits every', show: every },
  alarmRules: { label: 'When the logger transmits on alerts', show: String },
};

/** Warnings name fields as the API does. */
const FIELDS: ReadonlyArray<readonly [RegExp, (index: string) => string]> = [
  [/^temperatureAlerts\[(\d+)\](?:\.\w+)?/, (index) => `Alert ${Number(index) + 1}`],
  [/^temperatureAlerts/, () => 'Alerts'],
  [/^intervals\.transmissionIntervalSeconds/, () => 'The transmission interval'],
  [/^intervals/, () => 'Intervals'],
  [/^schedule/, () => 'The schedule'],
];

export function warningInWords(warning: string): string {
  for (const [pattern, toWords] of FIELDS) {
    const [field, index = ''] = pattern.exec(warning) ?? [];
    if (field !== undefined) return toWords(index) + warning.slice(field.length);
  }
  return warning;
}
