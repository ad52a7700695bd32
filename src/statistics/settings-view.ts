/** Settings in force as the API shows them. */
import { type Bounds, definitionsOf } from '../alerts/alert-definition.ts';
import type { WeekCalendar } from '../devices/configuration.ts';
import type { SettingsPeriod } from '../devices/settings.ts';
import { clockText } from '../process/durations.ts';
import { WEEKDAYS } from '../profiles/profile.ts';

export type SettingsView = ReturnType<typeof settingsView>;

export const settingsView = ({ from, to, config, ...settings }: SettingsPeriod) => ({
  from: from.toISOString(),
  to: to?.toISOString() ?? null,
  measurementPeriodSeconds: settings.measurementPeriodSeconds,
  transmissionIntervalSeconds: settings.transmissionIntervalSeconds,
  alerts: definitionsOf(config ?? {}).map(({ channel, bounds, severity, windows }) => ({
    channel,
    type: typeOfBounds(bounds),
    lowC: bounds.lowC,
    highC: bounds.highC,
    hysteresisC: bounds.hysteresisC,
    severity,
    schedule: scheduleView(windows),
  })),
  profileSlug: settings.profileSlug,
  source: settings.source,
});

export function typeOfBounds({ lowC, highC }: Pick<Bounds, 'lowC' | 'highC'>): 'range' | 'high' | 'low' {
  if (lowC === null) return 'high';
  return highC === null ? 'low' : 'range';
}

const scheduleView = (windows: WeekCalendar[] | null) =>
  windows === null ? { always: true } : { always: false, windows: windows.map(windowView) };

const windowView = ({ days, fromTime, toTime, timezone }: WeekCalendar) => ({
  days: days.map((day) => WEEKDAYS[day] as string),
  from: clockText(fromTime),
  to: clockText(toTime),
  utcOffsetMinutes: timezone,
});
