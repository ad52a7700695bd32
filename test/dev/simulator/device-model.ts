/** A simulated logger without clock and network; the test plays the service. */
import {
  type DeviceEffect,
  type DeviceEvent,
  type DeviceState,
  type DeviceTraits,
  newDevice,
  wakeAtMs,
} from '../../../dev/simulator/device-state.ts';
import { step } from '../../../dev/simulator/device-step.ts';
import type { ConfigAnswer } from '../../../src/gateway/config-message.ts';

export const START_MS = Date.UTC(2026, 0, 5, 12);

export const TRAITS: DeviceTraits = {
  serialNumber: '282C0000A001',
  cloudToken: 'token',
  channelTypes: [1, 2, 0, 0, 0, 0],
  speed: 1,
  phaseMs: 0,
  refuses: false,
  reportParts: 1,
  softwareVersion: '06.10',
  signal: 40,
};

export const FACTORY = { measurementSeconds: 60, transmissionSeconds: 300, ackIntervalSeconds: 900 };

export interface Model {
  readonly traits: DeviceTraits;
  state: DeviceState;
  nowMs: number;
  dispatch(event: DeviceEvent): DeviceEffect[];
  /** To the next sample; temperatures in °C, humidity 40 %. */
  measure(celsius: number | null, lateMs?: number): DeviceEffect[];
  answered(exchange: 'measurements' | 'report' | 'info', answer?: ConfigAnswer): DeviceEffect[];
}

export function newModel(
  traits: Partial<DeviceTraits> = {},
  factory = FACTORY as Parameters<typeof newDevice>[0],
): Model {
  const model: Model = {
    traits: { ...TRAITS, ...traits },
    state: newDevice(factory, START_MS),
    nowMs: START_MS,
    dispatch(event) {
      const { state, effects } = step(model.traits, model.state, event, model.nowMs);
      model.state = state;
      return effects;
    },
    measure(celsius, lateMs = 0) {
      model.nowMs = Math.max(model.nowMs, wakeAtMs(model.traits, model.state) + lateMs);
      const tenths = celsius === null ? null : Math.round(celsius * 10);
      return model.dispatch({ kind: 'wake', values: [tenths, 40, null, null, null, null] });
    },
    answered: (exchange, answer = {}) => model.dispatch({ kind: 'answered', exchange, answer }),
  };
  return model;
}

export const framesIn = (effects: DeviceEffect[]) =>
  effects.filter((effect) => effect.kind === 'measurements');
export const reportsIn = (effects: DeviceEffect[]) => effects.filter((effect) => effect.kind === 'report');
