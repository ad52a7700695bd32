/** Which channel a position means, and the other way round; channels are counted from 1, as on the device. */
import { channelOf, type DeviceVariant, temperatureSlots } from './device-capabilities.ts';
import type { AlertChannel } from '../profiles/profile.ts';

export type Position = AlertChannel;
/** What of a device decides where its positions are. */
export type Layout = Pick<DeviceVariant, 'channelTypes' | 'model'>;

export const CHANNELS_MAX = 6;
export const TEMPERATURE = 1;

export const channelAt = (position: Position, layout: Layout): number =>
  channelOf(position, { ...layout, ruleSlots: 12 }) + 1;

export const hasKnownLayout = (layout: Layout): boolean =>
  temperatureSlots({ ...layout, ruleSlots: 12 }) !== null;

/** Null for what is no temperature, and for temperatures between the first and the last. */
export function positionOf(channel: number, type: number, layout: Layout): Position | null {
  if (type !== TEMPERATURE) return null;
  if (channel === channelAt('probe', layout)) return 'probe';
  const slots = temperatureSlots({ ...layout, ruleSlots: 12 }) ?? [];
  return slots.at(0) === channel - 1 ? 'ambient' : null;
}
