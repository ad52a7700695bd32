/** Which channel a position means, and the other way round; channels are counted from 1, as on the device. */

import type { AlertChannel } from '../profiles/profile.ts';
import { channelOf, type DeviceCapabilities, temperatureSlots } from './device-capabilities.ts';

export type ProbePosition = AlertChannel;
/** What of a device decides where its positions are. */
export type Layout = Pick<DeviceCapabilities, 'channelTypes' | 'model'>;

export const CHANNELS_MAX = 6;
export const TEMPERATURE = 1;

export const channelAt = (position: ProbePosition, layout: Layout): number =>
  channelOf(position, { ...layout, ruleSlots: 12 }) + 1;

export const hasKnownLayout = (layout: Layout): boolean =>
  temperatureSlots({ ...layout, ruleSlots: 12 }) !== null;

/** Null for what is no temperature, and for temperatures between the first and the last. */
export function positionOf(channel: number, type: number, layout: Layout): ProbePosition | null {
  if (type !== TEMPERATURE) return null;
  if (channel === channelAt('probe', layout)) return 'probe';
  const slots = temperatureSlots({ ...layout, ruleSlots: 12 }) ?? [];
  return slots.at(0) === channel - 1 ? 'ambient' : null;
}
