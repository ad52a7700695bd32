/** A simulated logger's traits and state, and the events and effects of its state machine. */
import {
  CALENDARS_MAX,
  type DeviceConfiguration,
  DISABLED_CALENDAR,
  DISABLED_RULE,
} from '../../src/devices/configuration.ts';
import { RULE_SLOTS_DEFAULT } from '../../src/devices/device-capabilities.ts';
import type { ConfigAnswer, ConfigReport } from '../../src/gateway/config-message.ts';
import type { DeviceInfo } from '../../src/gateway/device-info-message.ts';
import type { MeasurementsMessage } from '../../src/gateway/measurements-message.ts';
import type { RuleState } from './rule-states.ts';
import { EMPTY_MEMORY, type SampleMemory } from './sample-memory.ts';

/** The constant traits of a device. */
export interface DeviceTraits {
  /** Upper-case hex of 6 bytes. */
  serialNumber: string;
  cloudToken: string | null;
  /** Six measurement types; 0: no sensor. */
  channelTypes: readonly number[];
  /**
   * Every interval and delay of the configuration takes 1/speed of its time. Times in messages are real, so
   * none is in the future.
   */
  speed: number;
  /**
   *
   * 0..999: the millisecond at which the device wakes, so that the devices of a fleet do not wake all at
   * once.
   */
  phaseMs: number;
  /** It refuses every change of its configuration. */
  refuses: boolean;
  reportParts: 1 | 2 | 3;
  /** "06.10" */
  softwareVersion: string;
  /** 0..63 */
  signal: number;
}

export type FullConfiguration = Required<DeviceConfiguration>;

export interface DeviceState {
  config: FullConfiguration;
  /** Seconds between confirmable frames; null: every frame is one. */
  ackIntervalSeconds: number | null;
  /** Grows by one with every change of the configuration. */
  hash: number;
  refusal: { codes: number[]; at: Date } | null;
  memory: SampleMemory;
  rules: readonly RuleState[];
  lastSampleAt: number | null;
  nextSampleAt: number;
  nextTransmissionMs: number;
  nextAckMs: number;
  /** The confirmable frame under way; there is at most one. */
  underWay: UnderWay | null;
  /** The message to send when the frame under way has ended. */
  wanted: 'frame' | 'frame with ack' | null;
  isFirst: boolean;
  /** Confirmable frames in a row without an acknowledgement. */
  retries: number;
  /** The service has not yet confirmed that it knows the configuration. */
  isReportWanted: boolean;
  counts: { applied: number; refused: number };
}

export interface UnderWay {
  /** Number of the last sample in the frame, and in the transmission. */
  through: number;
  transmissionThrough: number;
  /** The planned time of the transmission. */
  plannedMs: number;
}

export type Exchange = 'measurements' | 'report' | 'info';

export type DeviceEvent =
  | { kind: 'boot' }
  /** Time to measure, with the value of each channel with a sensor, as on the wire. */
  | { kind: 'wake'; values: ReadonlyArray<number | null> }
  | { kind: 'answered'; exchange: Exchange; answer: ConfigAnswer }
  /** Lost, refused, or not stored by the service: the device treats these alike. */
  | { kind: 'unanswered'; exchange: Exchange };

export type DeviceEffect =
  | { kind: 'measurements'; message: MeasurementsMessage; confirmable: boolean }
  | { kind: 'report'; report: ConfigReport; parts: 1 | 2 | 3; confirmable: boolean }
  | { kind: 'info'; info: DeviceInfo; confirmable: boolean };

export interface Outcome {
  state: DeviceState;
  effects: DeviceEffect[];
}

/** The factory settings of devices; fleets may override them. */
export interface FactorySettings {
  measurementSeconds: number;
  transmissionSeconds: number;
  ackIntervalSeconds: number | null;
}

export const FACTORY: FactorySettings = {
  measurementSeconds: 300,
  transmissionSeconds: 900,
  ackIntervalSeconds: 3_600,
};
const FIRST_HASH = 1;

export function newDevice(factory: FactorySettings, nowMs: number): DeviceState {
  const now = Math.ceil(nowMs / 1000);
  return {
    config: {
      measurementPeriodBase: factory.measurementSeconds,
      measurementPeriodFactor: 1,
      transmissionInterval: factory.transmissionSeconds,
      alarmRules: Array(RULE_SLOTS_DEFAULT).fill(DISABLED_RULE),
      calendars: Array(CALENDARS_MAX).fill(DISABLED_CALENDAR),
    },
    ackIntervalSeconds: factory.ackIntervalSeconds,
    hash: FIRST_HASH,
    refusal: null,
    memory: EMPTY_MEMORY,
    rules: [],
    lastSampleAt: null,
    nextSampleAt: now,
    nextTransmissionMs: nowMs,
    nextAckMs: nowMs,
    underWay: null,
    wanted: null,
    isFirst: true,
    retries: 0,
    isReportWanted: true,
    counts: { applied: 0, refused: 0 },
  };
}

/** Real seconds between two samples: whole seconds, because the protocol has no fractions. */
export function samplePeriodSeconds({ speed }: DeviceTraits, { config }: DeviceState): number {
  const seconds = config.measurementPeriodBase * config.measurementPeriodFactor;
  return Math.max(1, Math.round(seconds / speed));
}

export const wakeAtMs = ({ phaseMs }: DeviceTraits, { nextSampleAt }: DeviceState) =>
  nextSampleAt * 1000 + phaseMs;

export const nextTransmissionAfter = ({ speed }: DeviceTraits, { config }: DeviceState, nowMs: number) =>
  nowMs + (config.transmissionInterval * 1000) / speed;
