/**
 * The values of a logger's sensors as functions of simulated time: a fridge with a compressor and people who
 * open the door, a freezer that defrosts, a room with day and night. The same place and second give the same
 * value.
 */
import { noise } from './random.ts';

export const CLIMATES = ['fridge', 'freezer', 'room'] as const;
export type Climate = (typeof CLIMATES)[number];

export interface Place {
  climate: Climate;
  /** Makes places of the same climate differ. */
  seed: number;
}

/** A door that was left open. Simulated seconds. */
export interface OpenDoor {
  fromSeconds: number;
  /** Null: still open. */
  toSeconds: number | null;
}

interface Nature {
  meanC: number;
  humidity: number;
  /** Amplitude of the compressor's cycle, or half the difference between day and night. */
  swingC: number;
  cycleSeconds: number;
  /** The temperature outside the door. */
  outsideC: number;
  doorOpeningsPerHour: number;
}

const HOUR = 3_600;
const DAY = 24 * HOUR;
const NATURES: Record<Climate, Nature> = {
  fridge: {
    meanC: 4.6,
    humidity: 42,
    swingC: 0.9,
    cycleSeconds: 1_500,
    outsideC: 22,
    doorOpeningsPerHour: 0.6,
  },
  freezer: {
    meanC: -20,
    humidity: 65,
    swingC: 1.2,
    cycleSeconds: 2_400,
    outsideC: 22,
    doorOpeningsPerHour: 0.2,
  },
  room: { meanC: 21, humidity: 45, swingC: 2, cycleSeconds: DAY, outsideC: 12, doorOpeningsPerHour: 0 },
};
/** Time constants: an open door warms the air, the compressor cools it again. */
const WARMING_SECONDS = 1_800;
const COOLING_SECONDS = 420;
const OPENING_SECONDS_MAX = 200;
const DEFROST_EVERY_SECONDS = 8 * HOUR;
const DEFROST_SECONDS = 1_200;
const DEFROST_C = 3.5;
const SENSOR_NOISE_C = 0.1;

/** °C. */
export function temperatureAt(place: Place, seconds: number, leftOpen: OpenDoor | null = null): number {
  const { meanC, outsideC } = NATURES[place.climate];
  const opened = doorExcess(place, seconds) + (leftOpen ? excessOf(leftOpen, seconds) : 0);
  return (
    meanC +
    (noise(place.seed, 0) - 0.5) * 0.6 +
    machineAt(place, seconds) +
    (place.climate === 'freezer' ? defrostAt(place, seconds) : 0) +
    (outsideC - meanC) * Math.min(1, opened) +
    (noise(place.seed, Math.floor(seconds)) - 0.5) * 2 * SENSOR_NOISE_C
  );
}

/** Relative, %. Air from outside is damp. */
export function humidityAt(place: Place, seconds: number, leftOpen: OpenDoor | null = null): number {
  const { humidity } = NATURES[place.climate];
  const opened = doorExcess(place, seconds) + (leftOpen ? excessOf(leftOpen, seconds) : 0);
  const drift = 4 * Math.sin((2 * Math.PI * seconds) / (5 * HOUR) + place.seed);
  return Math.min(100, Math.max(0, humidity + drift + 35 * Math.min(1, opened)));
}

/** Rises slowly while the compressor rests and falls faster while it runs; a sine wave over the day in a room. */
function machineAt({ climate, seed }: Place, seconds: number): number {
  const { swingC, cycleSeconds } = NATURES[climate];
  if (climate === 'room') return swingC * Math.sin((2 * Math.PI * (seconds - 9 * HOUR)) / cycleSeconds);
  const cycle = cycleSeconds * (0.85 + 0.3 * noise(seed, 1));
  const place = ((seconds + cycle * noise(seed, 2)) % cycle) / cycle;
  const up = 0.65;
  return swingC * (place < up ? -1 + (2 * place) / up : 1 - (2 * (place - up)) / (1 - up));
}

function defrostAt({ seed }: Place, seconds: number): number {
  const since = (seconds + DEFROST_EVERY_SECONDS * noise(seed, 3)) % DEFROST_EVERY_SECONDS;
  if (since < DEFROST_SECONDS) return (DEFROST_C * since) / DEFROST_SECONDS;
  return DEFROST_C * Math.exp(-(since - DEFROST_SECONDS) / COOLING_SECONDS);
}

/** In each quarter of an hour the door may be opened for some seconds to some minutes. */
function doorExcess(place: Place, seconds: number): number {
  const quarter = HOUR / 4;
  const now = Math.floor(seconds / quarter);
  let excess = 0;
  for (let slot = now - 3; slot <= now; slot++) {
    const draw = (index: number) => noise(place.seed + index, slot);
    if (draw(11) > NATURES[place.climate].doorOpeningsPerHour / 4) continue;
    const fromSeconds = (slot + draw(12)) * quarter;
    const toSeconds = fromSeconds + 10 + draw(13) ** 2 * OPENING_SECONDS_MAX;
    excess += excessOf({ fromSeconds, toSeconds }, seconds);
  }
  return excess;
}

/** The share of air from outside: it grows while the door is open and decays when it is shut. */
function excessOf({ fromSeconds, toSeconds }: OpenDoor, seconds: number): number {
  if (seconds <= fromSeconds) return 0;
  const open = Math.min(seconds, toSeconds ?? seconds) - fromSeconds;
  const shut = seconds - fromSeconds - open;
  return (1 - Math.exp(-open / WARMING_SECONDS)) * Math.exp(-shut / COOLING_SECONDS);
}
