/**
 * What of a device decides how a profile compiles for it: where its temperature channels are and how many rules it
 * holds. Devices of one variant share one compiled configuration, so there is a handful of variants however many
 * devices there are.
 */
import type { AlertChannel } from '../profiles/profile.ts';

export interface DeviceCapabilities {
  /** Measurement types by channel as the device showed them; null before its first report. */
  channelTypes: number[] | null;
  /** Product line as registered. */
  model: string | null;
  /** 16 from firmware 07.02 (Efento proto_config_rule.proto). */
  ruleSlots: 12 | 16;
}

/** Efento proto_measurement_types.proto: TEMPERATURE. */
const TEMPERATURE = 1;
/** Temperature, humidity, temperature. */
const THT_MODEL = 'TVO-THT';

/**
 * Channels that measure temperature, counted from 0; empty when the device showed its channels and none does; null
 * when nothing is known.
 */
export function temperatureSlots({ channelTypes, model }: DeviceCapabilities): number[] | null {
  if (channelTypes) return channelTypes.flatMap((type, slot) => (type === TEMPERATURE ? [slot] : []));
  return model?.trim().toUpperCase() === THT_MODEL ? [0, 2] : null;
}

/**
 * The channel that a position means, counted from 0: of two or more temperature channels the first is ambient and
 * the last the probe; of one, both mean it; without any, channel 0.
 */
export function channelOf(position: AlertChannel, capabilities: DeviceCapabilities): number {
  const slots = temperatureSlots(capabilities) ?? [];
  return (position === 'ambient' ? slots.at(0) : slots.at(-1)) ?? 0;
}

/** Types by channel after a frame: a channel that is silent in it keeps the type that it had. */
export function withFrameTypes(known: number[] | null, observed: number[]): number[] {
  const before = known ?? [];
  return Array.from(
    { length: Math.max(before.length, observed.length) },
    (_, channel) => observed[channel] || before[channel] || 0,
  );
}

/** Equal only for variants that compile alike and warn alike. Without the model: it is free text and would split the fleet. */
export function capabilitiesKey(capabilities: DeviceCapabilities): string {
  const slots = temperatureSlots(capabilities);
  return `rules:${capabilities.ruleSlots} temperature:${slots === null ? 'unknown' : slots.join(',')}`;
}
