/** Devices that a profile would put in breach at once, by their latest readings. */
import { breachOf } from '../alerts/alert-state-machine.ts';
import { channelAt, type Layout, TEMPERATURE } from '../devices/device-capabilities.ts';
import type { LatestReading } from '../devices/reading.ts';
import { enforcedBounds } from '../profiles/profile.ts';
import type { ProfileView } from './answers.ts';

export interface MeasuredDevice extends Layout {
  latest: readonly LatestReading[];
}

/** Devices of an apply: one of the three. */
export interface ChosenDevices {
  serialNumbers?: readonly string[];
  groupId?: string;
  applyToAll?: boolean;
}

/** Larger choices are counted by their first devices, because a preview is asked for again and again. */
export const MEASURED_MAX = 10_000;

export interface BreachCount {
  breachedCount: number;
  /** Devices with a value on a channel of the alerts. */
  measuredCount: number;
  unmeasuredCount: number;
}

type Alert = ProfileView['temperatureAlerts'][number];

export function countBreaches(alerts: readonly Alert[], devices: readonly MeasuredDevice[]): BreachCount {
  const breaches = devices.map((device) => {
    const measured = alerts.flatMap((alert) => {
      const value = valueAt(alert.channel, device);
      return value === null ? [] : [isBeyond(alert, value)];
    });
    return measured.length === 0 ? null : measured.includes(true);
  });
  const known = breaches.filter((isBreached) => isBreached !== null);
  return {
    breachedCount: known.filter(Boolean).length,
    measuredCount: known.length,
    unmeasuredCount: breaches.length - known.length,
  };
}

function valueAt(position: Alert['channel'], device: MeasuredDevice): number | null {
  const channel = channelAt(position, device);
  const reading = device.latest.find(([number, type]) => number === channel && type === TEMPERATURE);
  return reading?.[3] ?? null;
}

/** By the bounds as devices and the service compare them. */
function isBeyond(alert: Alert, value: number): boolean {
  const { minC, maxC } = enforcedBounds(alert);
  return breachOf({ lowC: minC, highC: maxC }, value) !== null;
}
