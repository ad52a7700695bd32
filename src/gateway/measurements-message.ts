/**
 * The measurements that a logger sends to `m` (Efento proto_measurements.proto): decoding, and encoding for
 * the simulator. `decode-readings.ts` turns their samples into readings.
 */
import { CHANNELS_MAX } from '../devices/channel-layout.ts';
import { intervalSeconds, MEASUREMENT_PERIOD_MAX } from '../devices/configuration-limits.ts';
import { MEASUREMENT_TYPE_MAX, measurementTypeOf } from '../devices/measurement-type.ts';
import { type Channel, MeasurementsSchema } from './generated/logger-messages_pb.ts';
import {
  atMost,
  atMostEntries,
  isWithin,
  MalformedMessage,
  orUnset,
  readMessage,
  toSeconds,
  toSerialBytes,
  toSerialNumber,
  toText,
  toTextBytes,
  toTime,
  writeMessage,
} from './wire-format.ts';

export interface MeasurementsMessage {
  /** Upper-case hex of 6 bytes. */
  serialNumber: string;
  batteryOk: boolean;
  /** Seconds, at most 65535. */
  measurementPeriodBase: number;
  /** 0: not sent; see `continuousPeriodSeconds`. */
  measurementPeriodFactor: number;
  nextTransmissionAt: Date | null;
  /** A bit mask (Efento proto_measurements.proto, field 6). */
  transferReason: number;
  /** 0..63 in steps of 1 dB from -110 dBm, 99 unknown; null: not sent, see `omitsZeroSignal`. */
  signal: number | null;
  /** The device's own number for its configuration; null: not sent. */
  configurationHash: number | null;
  extendedConfigurationHash: number | null;
  /** '': sent, but empty; null: not sent. */
  cloudToken: string | null;
  /** Hundredths of a volt × 6 plus the number of the power source; null: not sent. */
  batteryLevel: number | null;
  /** By channel; a channel without a sensor has type 0. */
  channels: MeasuredChannel[];
}

export interface MeasuredChannel {
  /** 1..6. */
  number: number;
  /** Number of the measurement type, which may be unknown here; 0: no sensor. */
  type: number;
  /** Unix seconds of the first sample. */
  timestamp: number;
  startPoint: number;
  sampleOffsets: number[];
}

/** Limit for all channels of a frame together, above the capacity of the largest accepted datagram. */
const SAMPLES_MAX = 1500;
/** Bytes; longer text cannot be a token. */
export const CLOUD_TOKEN_MAX = 36;
const UNIX_SECONDS_MAX = 0xffffffff;

/** @throws MalformedMessage */
export function decodeMeasurements(bytes: Uint8Array): MeasurementsMessage {
  const sent = readMessage('Measurements', MeasurementsSchema, bytes);
  const message = {
    serialNumber: toSerialNumber(sent.serialNumber),
    batteryOk: sent.batteryStatus,
    measurementPeriodBase: toPeriod(sent.measurementPeriodBase),
    measurementPeriodFactor: toPeriod(sent.measurementPeriodFactor),
    nextTransmissionAt: toTime(sent.nextTransmissionAt),
    transferReason: sent.transferReason,
    signal: sent.signal ?? null,
    configurationHash: sent.configurationHash ?? null,
    extendedConfigurationHash: sent.extendedConfigurationHash ?? null,
    cloudToken: toText(sent.cloudToken, CLOUD_TOKEN_MAX, 'The token'),
    batteryLevel: sent.batteryLevel ?? null,
    channels: atMostEntries(sent.channels, CHANNELS_MAX, 'The frame').map(toChannel),
  };
  checkSamples(message);
  return message;
}

export const toPeriod = (value: number): number =>
  atMost(value, MEASUREMENT_PERIOD_MAX, 'The measurement period');

const toChannel = (
  { type, timestamp, startPoint, sampleOffsets }: Channel,
  position: number,
): MeasuredChannel => ({ number: position + 1, type: toType(type), timestamp, startPoint, sampleOffsets });

/** Types of newer firmware are unknown here, but have small numbers, too. */
export function toType(type: number): number {
  if (!isWithin(type, 0, MEASUREMENT_TYPE_MAX))
    throw new MalformedMessage(`A channel has type ${type}, not 0 to ${MEASUREMENT_TYPE_MAX}`);
  return type;
}

/** Refuses too many samples, several at one time, and times that do not fit 32 bits of seconds. */
function checkSamples(message: MeasurementsMessage): void {
  const sampleCount = message.channels.reduce((sum, { sampleOffsets }) => sum + sampleOffsets.length, 0);
  atMost(sampleCount, SAMPLES_MAX, 'The number of samples');
  const period = continuousPeriodSeconds(message);
  for (const { type, timestamp, sampleOffsets } of message.channels) {
    if (period === 0 && sampleOffsets.length > 1 && measurementTypeOf(type)?.kind === 'continuous') {
      throw new MalformedMessage('Measurements: the period is 0, but a channel has several samples');
    }
    if (timestamp + sampleOffsets.length * period > UNIX_SECONDS_MAX) {
      throw new MalformedMessage('Measurements: the samples reach beyond the year 2106');
    }
  }
}

/**
 * Whether an absent signal means 0, as from firmware 06, because proto3 does not send 0. Older firmware sends
 * no factor either, and firmware 07, whose signal is in its device info, sends additional fields.
 */
export const omitsZeroSignal = ({
  measurementPeriodFactor,
  extendedConfigurationHash,
  batteryLevel,
}: MeasurementsMessage): boolean =>
  measurementPeriodFactor !== 0 && extendedConfigurationHash === null && batteryLevel === null;

/** Old firmware (5.x) sends no factor, which means 1, or 14 when any channel is binary. */
export function continuousPeriodSeconds({
  measurementPeriodBase,
  measurementPeriodFactor,
  channels,
}: MeasurementsMessage): number {
  const isMixed = channels.some(({ type }) => measurementTypeOf(type)?.kind === 'binary');
  return intervalSeconds(measurementPeriodBase, measurementPeriodFactor || (isMixed ? 14 : 1));
}

export const encodeMeasurements = (message: MeasurementsMessage): Uint8Array =>
  writeMessage(MeasurementsSchema, {
    serialNumber: toSerialBytes(message.serialNumber),
    batteryStatus: message.batteryOk,
    measurementPeriodBase: message.measurementPeriodBase,
    channels: message.channels,
    nextTransmissionAt: toSeconds(message.nextTransmissionAt),
    transferReason: message.transferReason,
    signal: orUnset(message.signal),
    measurementPeriodFactor: message.measurementPeriodFactor,
    configurationHash: orUnset(message.configurationHash),
    cloudToken: toTextBytes(message.cloudToken),
    extendedConfigurationHash: orUnset(message.extendedConfigurationHash),
    batteryLevel: orUnset(message.batteryLevel),
  });
