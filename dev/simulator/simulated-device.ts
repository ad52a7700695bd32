/** A running simulated logger: the state machine with a clock, sensors and an uplink. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TEMPERATURE } from '../../src/devices/device-capabilities.ts';
import { TIMER_MS_MAX } from '../../src/process/durations.ts';
import { humidityAt, type OpenDoor, type Place, temperatureAt } from './climate.ts';
import {
  type DeviceEffect,
  type DeviceEvent,
  type DeviceState,
  type DeviceTraits,
  wakeAtMs,
} from './device-state.ts';
import { step } from './device-step.ts';
import type { FleetCounter } from './fleet-stats.ts';
import { Unanswered, type Uplink } from './uplink.ts';

export interface SimulatedDevice {
  readonly traits: DeviceTraits;
  state(): DeviceState;
  isOnline(): boolean;
  start(): void;
  stop(): void;
  openDoor(): void;
  closeDoor(): void;
  /** Current temperature of its first sensor, in °C. */
  temperatureC(): number;
}

export interface SimulatedDeviceOptions {
  traits: DeviceTraits;
  place: Place;
  /** The initial state. */
  state: DeviceState;
  uplink: Uplink;
  counter: FleetCounter;
  nowMs(): number;
  /** Simulated time at the start; differs between places so that their days do not coincide. */
  startSeconds: number;
  /** How long the device runs a new configuration before it reports. */
  reportAfterMs: number;
}

const HUMIDITY = 2;
/** The second temperature sensor is somewhere else in the same climate. */
const AMBIENT_SEED = 7_919;

export function createSimulatedDevice(options: SimulatedDeviceOptions): SimulatedDevice {
  const { traits, place, uplink, counter, nowMs, startSeconds } = options;
  const startedAtMs = nowMs();
  let state = options.state;
  let leftOpen: OpenDoor | null = null;
  let isOnline = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const simulatedSeconds = () => startSeconds + ((nowMs() - startedAtMs) / 1000) * traits.speed;

  function values(): Array<number | null> {
    const seconds = simulatedSeconds();
    return traits.channelTypes.map((type, index) => {
      const where = index === 0 ? place : { ...place, seed: place.seed + AMBIENT_SEED };
      if (type === TEMPERATURE) return Math.round(temperatureAt(where, seconds, leftOpen) * 10);
      return type === HUMIDITY ? Math.round(humidityAt(place, seconds, leftOpen)) : null;
    });
  }

  function dispatch(event: DeviceEvent): void {
    if (isStopped) return;
    const outcome = step(traits, state, event, nowMs());
    state = outcome.state;
    for (const effect of outcome.effects) void perform(effect);
    plan();
  }

  function plan(): void {
    clearTimeout(timer);
    if (isStopped) return;
    const waitMs = Math.max(0, wakeAtMs(traits, state) - nowMs());
    const wake = () => dispatch({ kind: 'wake', values: values() });
    timer = waitMs > TIMER_MS_MAX ? setTimeout(plan, TIMER_MS_MAX) : setTimeout(wake, waitMs);
  }

  async function perform(effect: DeviceEffect): Promise<void> {
    const exchange = effect.kind;
    const confirmable = effect.confirmable || uplink.answersAll;
    if (exchange === 'report' && options.reportAfterMs > 0) {
      await sleep(options.reportAfterMs);
      if (isStopped) return;
    }
    const sentAtMs = performance.now();
    counter.sent(confirmable, readingsIn(effect));
    try {
      const answer = await sendOf(uplink, effect);
      if (answer && !isStopped) {
        if (confirmable) {
          counter.acknowledged(performance.now() - sentAtMs);
          isOnline = true;
        }
        dispatch({ kind: 'answered', exchange, answer });
      }
    } catch (error) {
      if (isStopped) return;
      counter.lost(error instanceof Unanswered ? error.kind : String((error as Error).message));
      if (confirmable) isOnline = false;
      dispatch({ kind: 'unanswered', exchange });
    }
  }

  return {
    traits,
    state: () => state,
    isOnline: () => isOnline,
    start() {
      dispatch({ kind: 'boot' });
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
    openDoor() {
      leftOpen = { fromSeconds: simulatedSeconds(), toSeconds: null };
    },
    closeDoor() {
      if (leftOpen) leftOpen = { ...leftOpen, toSeconds: simulatedSeconds() };
    },
    temperatureC: () => temperatureAt(place, simulatedSeconds(), leftOpen),
  };
}

function sendOf(uplink: Uplink, effect: DeviceEffect) {
  switch (effect.kind) {
    case 'measurements':
      return uplink.measurements(effect.message, effect.confirmable);
    case 'report':
      return uplink.report(effect.report, effect);
    case 'info':
      return uplink.info(effect.info, effect.confirmable);
  }
}

function readingsIn(effect: DeviceEffect): number {
  if (effect.kind !== 'measurements') return 0;
  return effect.message.channels.reduce((sum, { sampleOffsets }) => sum + sampleOffsets.length, 0);
}
