/**
 * The capabilities of a device decide how a profile compiles for it: its temperature channels and its number
 * of rules. Devices with the same capabilities share one compiled configuration, so only a handful of
 * configurations is compiled for any number of devices.
 *
 * A channel has a number from 1 on, as on the device; rules and lists of types use its slot, counted from 0.
 */

/** Number of alarm rules of a logger: 16 from firmware 07.02, 12 before (Efento proto_config_rule.proto). */
export const RULE_SLOTS_MAX = 16;
/** Also assumed while the firmware is unknown. */
export const RULE_SLOTS_DEFAULT = 12;
export type RuleSlots = typeof RULE_SLOTS_DEFAULT | typeof RULE_SLOTS_MAX;

export interface DeviceCapabilities extends Layout {
  ruleSlots: RuleSlots;
}

/** Slots of a device by the number of its rules. */
export const toRuleSlots = (ruleCount: number): RuleSlots =>
  ruleCount > RULE_SLOTS_DEFAULT ? RULE_SLOTS_MAX : RULE_SLOTS_DEFAULT;

const MORE_RULES_SINCE = { major: 7, minor: 2 };

/** By a firmware version such as "07.02"; null for any other text. */
export function parseRuleSlots(softwareVersion: string): RuleSlots | null {
  const [major, minor] = softwareVersion.split('.').map(Number);
  if (major === undefined || minor === undefined || Number.isNaN(major + minor)) return null;
  const hasMore =
    major > MORE_RULES_SINCE.major || (major === MORE_RULES_SINCE.major && minor >= MORE_RULES_SINCE.minor);
  return hasMore ? RULE_SLOTS_MAX : RULE_SLOTS_DEFAULT;
}

/**
 * Equal only for capabilities that compile and warn alike. Excludes the model, whose free text would split
 * the fleet.
 */
export function capabilitiesKey(capabilities: DeviceCapabilities): string {
  const slots = temperatureSlots(capabilities);
  return `rules:${capabilities.ruleSlots} temperature:${slots === null ? 'unknown' : slots.join(',')}`;
}

export const CHANNELS_MAX = 6;

/** The measurement type TEMPERATURE (Efento proto_measurement_types.proto), and its range in °C. */
export const TEMPERATURE = 1;
export const TEMPERATURE_MIN_C = -273.2;
export const TEMPERATURE_MAX_C = 4_000;

export const PROBE_POSITIONS = ['probe', 'ambient'] as const;
export type ProbePosition = (typeof PROBE_POSITIONS)[number];

/** The fields of a device that decide where its positions are. */
export interface Layout {
  /** Measurement types by channel as reported; null before the first report. */
  channelTypes: number[] | null;
  /** Product line as registered. */
  model: string | null;
}

/** Temperature, humidity, temperature. */
const THT_MODEL = 'TVO-THT';

/**
 * Slots of the channels that measure temperature; empty when the device reported its channels and none does;
 * null when nothing is known.
 */
export function temperatureSlots({ channelTypes, model }: Layout): number[] | null {
  if (channelTypes) return channelTypes.flatMap((type, slot) => (type === TEMPERATURE ? [slot] : []));
  return model?.trim().toUpperCase() === THT_MODEL ? [0, 2] : null;
}

export const hasKnownLayout = (layout: Layout): boolean => temperatureSlots(layout) !== null;

/**
 * The slot that a position names: with two or more temperature channels the first is ambient and the last the
 * probe; a single one serves both; without any, slot 0.
 */
export function slotAt(position: ProbePosition, layout: Layout): number {
  const slots = temperatureSlots(layout) ?? [];
  return (position === 'ambient' ? slots.at(0) : slots.at(-1)) ?? 0;
}

export const channelAt = (position: ProbePosition, layout: Layout): number => slotAt(position, layout) + 1;

/** Null for other measurement types, and for temperatures between the first and the last. */
export function positionOf(channel: number, type: number, layout: Layout): ProbePosition | null {
  if (type !== TEMPERATURE) return null;
  if (channel === channelAt('probe', layout)) return 'probe';
  return temperatureSlots(layout)?.at(0) === channel - 1 ? 'ambient' : null;
}

/** By the type that the device has reported; without a report, for temperatures. */
export const positionAt = (channel: number, layout: Layout): ProbePosition | null =>
  positionOf(channel, layout.channelTypes ? (layout.channelTypes[channel - 1] ?? 0) : TEMPERATURE, layout);

export const channelText = (channel: number, layout: Layout | undefined): string =>
  namedChannel(channel, layout ? positionAt(channel, layout) : null);

/** "probe (channel 3)"; a channel without a position has its number alone. */
export const namedChannel = (channel: number, position: ProbePosition | null): string =>
  position === null ? `channel ${channel}` : `${position} (channel ${channel})`;

/** Types by channel after a frame: a channel without readings in it keeps its type. */
export function withFrameTypes(known: number[] | null, observed: number[]): number[] {
  const before = known ?? [];
  return Array.from(
    { length: Math.max(before.length, observed.length) },
    (_, slot) => observed[slot] || before[slot] || 0,
  );
}
