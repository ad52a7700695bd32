/**
 * The measurements that a logger sends to `m` (Efento proto_measurements.proto), and their samples as readings.
 */
import { intervalSeconds, MEASUREMENT_PERIOD_MAX } from '../devices/configuration.ts';
import { CHANNELS_MAX } from '../devices/device-capabilities.ts';
import {
  isInRange,
  MEASUREMENT_TYPE_MAX,
  type MeasurementType,
  measuredValue,
  measurementTypeOf,
} from '../devices/measurement-type.ts';
import type { Reading } from '../devices/reading.ts';
import { type Channel, MeasurementsSchema } from './generated/logger-messages_pb.ts';
import {
  atMost,
  atMostEntries,
  isWithin,
  MalformedMessage,
  readMessage,
  toSerialNumber,
  toText,
  toTime,
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

/**
 * By channel, oldest first. Samples of unknown types give no reading; a sensor error is a reading without a
 * value, and so is an impossible value, whose error is the integer that was sent.
 */
export function decodeReadings(message: MeasurementsMessage): Reading[] {
  const period = continuousPeriodSeconds(message);
  const readings: Reading[] = [];
  for (const channel of message.channels) {
    const type = measurementTypeOf(channel.type);
    if (type?.kind === 'binary') addBinary(readings, channel, type);
    else if (type) addContinuous(readings, channel, type, period);
  }
  return readings;
}

/** Offsets in this range are the sensor's error codes (Efento proto_measurements.proto, sample_offsets). */
const ERROR_CODE_MIN = 8_355_840;
const ERROR_CODE_MAX = 8_388_607;

function addContinuous(
  readings: Reading[],
  { number, timestamp, startPoint, sampleOffsets }: MeasuredChannel,
  type: MeasurementType,
  period: number,
): void {
  for (let index = 0; index < sampleOffsets.length; index++) {
    const offset = sampleOffsets[index] as number;
    readings.push({
      channel: number,
      type: type.number,
      ...(isErrorCode(offset) ? errorOnly(offset) : valueOrError(type, startPoint + offset)),
      measuredAt: new Date((timestamp + index * period) * 1000),
    });
  }
}

const isErrorCode = (offset: number) => offset >= ERROR_CODE_MIN && offset <= ERROR_CODE_MAX;

const errorOnly = (error: number) => ({ value: null, error });

function valueOrError(type: MeasurementType, raw: number): Pick<Reading, 'value' | 'error'> {
  const value = measuredValue(type, raw);
  return isInRange(type, value) ? { value, error: null } : errorOnly(toInt32(raw));
}

/** The sum of two 32-bit integers may need 33 bits, and errors are stored with 32. */
const toInt32 = (raw: number) => Math.min(Math.max(raw, -(2 ** 31)), 2 ** 31 - 1);

/** The sign is the state, the amount minus 1 the seconds since the timestamp; 0 is no sample. */
function addBinary(
  readings: Reading[],
  { number, timestamp, sampleOffsets }: MeasuredChannel,
  type: MeasurementType,
): void {
  for (const offset of sampleOffsets) {
    if (offset === 0) continue;
    const isError = isErrorCode(offset);
    const seconds = isError ? 0 : Math.abs(offset) - 1;
    readings.push({
      channel: number,
      type: type.number,
      value: isError ? null : offset > 0 ? 1 : 0,
      error: isError ? offset : null,
      measuredAt: new Date((timestamp + seconds) * 1000),
    });
  }
}
