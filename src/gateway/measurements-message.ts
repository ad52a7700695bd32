/**
 * The measurements that a logger sends to `m` (Efento proto_measurements.proto): decoding, and encoding for the
 * simulator. `decode-readings.ts` turns their samples into readings.
 */
import type { BinaryReader } from '@bufbuild/protobuf/wire';
import { CHANNELS_MAX } from '../devices/channel-layout.ts';
import { MEASUREMENT_PERIOD_MAX } from '../devices/configuration-limits.ts';
import { measurementTypeOf } from '../devices/measurement-type.ts';
import {
  type Field,
  MalformedMessage,
  readBool,
  readEmbedded,
  readInt32,
  readMessage,
  readNumbers,
  readSerialNumber,
  readSint32,
  readText,
  readTime,
  readUint32,
} from './wire-reader.ts';
import {
  newWriter,
  writeBool,
  writeEmbedded,
  writeInt32,
  writeNumbers,
  writeSerialNumber,
  writeSint32,
  writeText,
  writeTime,
  writeUint32,
} from './wire-writer.ts';

export interface MeasurementsMessage {
  /** Upper-case hex of 6 bytes. */
  serialNumber: string;
  batteryOk: boolean;
  /** Seconds, at most 65535. */
  measurementPeriodBase: number;
  /** 0 = not sent; see `continuousPeriodSeconds`. */
  measurementPeriodFactor: number;
  nextTransmissionAt: Date | null;
  /** A bit mask (Efento proto_measurements.proto, field 6). */
  transferReason: number;
  /** 0..63 in steps of 1 dB from -110 dBm, 99 unknown; null = not sent, see `omitsZeroSignal`. */
  signal: number | null;
  /** The device's own number for its configuration; null = not sent. */
  configurationHash: number | null;
  extendedConfigurationHash: number | null;
  /** '' = sent, but empty; null = not sent. */
  cloudToken: string | null;
  /** Hundredths of a volt × 6 plus the number of the power source; null = not sent. */
  batteryLevel: number | null;
  /** By channel; one without a sensor is in the list with type 0. */
  channels: MeasuredChannel[];
}

export interface MeasuredChannel {
  /** 1..6. */
  number: number;
  /** Number of the measurement type, which may be unknown to us; 0 = no sensor. */
  type: number;
  /** Unix seconds of the first sample. */
  timestamp: number;
  startPoint: number;
  sampleOffsets: number[];
}

/** In all channels of a frame together: more than the largest datagram that we accept can hold. */
const SAMPLES_MAX = 1500;
/** Bytes; a longer text cannot be a token. */
export const CLOUD_TOKEN_MAX = 36;
const UNIX_SECONDS_MAX = 0xffffffff;

/** @throws MalformedMessage */
export function decodeMeasurements(bytes: Uint8Array): MeasurementsMessage {
  const message = emptyMessage();
  readMessage('Measurements', bytes, (field, reader) => readField(message, field, reader));
  if (message.serialNumber === '') throw new MalformedMessage('Measurements: there is no serial number');
  checkTimes(message);
  return message;
}

const emptyMessage = (): MeasurementsMessage => ({
  serialNumber: '',
  batteryOk: false,
  measurementPeriodBase: 0,
  measurementPeriodFactor: 0,
  nextTransmissionAt: null,
  transferReason: 0,
  signal: null,
  configurationHash: null,
  extendedConfigurationHash: null,
  cloudToken: null,
  batteryLevel: null,
  channels: [],
});

function readField(message: MeasurementsMessage, field: Field, reader: BinaryReader): boolean {
  switch (field.number) {
    case 1:
      message.serialNumber = readSerialNumber(field, reader);
      return true;
    case 2:
      message.batteryOk = readBool(field, reader);
      return true;
    case 3:
      message.measurementPeriodBase = readUint32(field, reader, MEASUREMENT_PERIOD_MAX);
      return true;
    case 4:
      message.channels.push(readChannel(message, field, reader));
      return true;
    case 5:
      message.nextTransmissionAt = readTime(field, reader);
      return true;
    case 6:
      message.transferReason = readUint32(field, reader);
      return true;
    case 7:
      message.signal = readUint32(field, reader);
      return true;
    case 8:
      message.measurementPeriodFactor = readUint32(field, reader, MEASUREMENT_PERIOD_MAX);
      return true;
    case 9:
      message.configurationHash = readUint32(field, reader);
      return true;
    case 16:
      message.cloudToken = readText(field, reader, CLOUD_TOKEN_MAX);
      return true;
    case 17:
      message.extendedConfigurationHash = readUint32(field, reader);
      return true;
    case 18:
      message.batteryLevel = readUint32(field, reader);
      return true;
    default:
      return false;
  }
}

function readChannel({ channels }: MeasurementsMessage, field: Field, reader: BinaryReader): MeasuredChannel {
  if (channels.length >= CHANNELS_MAX) throw new MalformedMessage(`There are over ${CHANNELS_MAX} channels`);
  const sampleCount = channels.reduce((sum, { sampleOffsets }) => sum + sampleOffsets.length, 0);
  const offsets = { read: 'sint32', max: SAMPLES_MAX - sampleCount } as const;
  const channel: MeasuredChannel = {
    number: channels.length + 1,
    type: 0,
    timestamp: 0,
    startPoint: 0,
    sampleOffsets: [],
  };
  readEmbedded(field, reader, (inner) => {
    if (inner.number === 1) channel.type = readInt32(inner, reader);
    else if (inner.number === 2) channel.timestamp = readInt32(inner, reader);
    else if (inner.number === 4) channel.startPoint = readSint32(inner, reader);
    else if (inner.number === 5) readNumbers(inner, reader, channel.sampleOffsets, offsets);
    else return false;
    return true;
  });
  return channel;
}

/** Refuses samples of one time, and those whose time 32 bits of seconds cannot hold. */
function checkTimes(message: MeasurementsMessage): void {
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
 * In proto3 a signal of 0 is not sent. So does firmware 06; older firmware sends no factor either, and firmware 07, which
 * has the signal in its device info, sends fields of its own.
 */
export const omitsZeroSignal = ({
  measurementPeriodFactor,
  extendedConfigurationHash,
  batteryLevel,
}: MeasurementsMessage): boolean =>
  measurementPeriodFactor !== 0 && extendedConfigurationHash === null && batteryLevel === null;

/** Old firmware (5.x) sends no factor: it means 1, or 14 when any channel is binary. */
export function continuousPeriodSeconds({
  measurementPeriodBase,
  measurementPeriodFactor,
  channels,
}: MeasurementsMessage): number {
  if (measurementPeriodFactor !== 0) return measurementPeriodBase * measurementPeriodFactor;
  const isMixed = channels.some(({ type }) => measurementTypeOf(type)?.kind === 'binary');
  return measurementPeriodBase * (isMixed ? 14 : 1);
}

export function encodeMeasurements(message: MeasurementsMessage): Uint8Array {
  const writer = newWriter();
  writeSerialNumber(writer, 1, message.serialNumber);
  writeBool(writer, 2, message.batteryOk);
  writeUint32(writer, 3, message.measurementPeriodBase);
  for (const channel of message.channels) {
    writeEmbedded(writer, 4, () => {
      writeInt32(writer, 1, channel.type);
      writeInt32(writer, 2, channel.timestamp);
      writeSint32(writer, 4, channel.startPoint);
      writeNumbers(writer, 5, channel.sampleOffsets, 'sint32');
    });
  }
  writeTime(writer, 5, message.nextTransmissionAt);
  writeUint32(writer, 6, message.transferReason);
  writeUint32(writer, 7, message.signal);
  writeUint32(writer, 8, message.measurementPeriodFactor);
  writeUint32(writer, 9, message.configurationHash);
  writeText(writer, 16, message.cloudToken);
  writeUint32(writer, 17, message.extendedConfigurationHash);
  writeUint32(writer, 18, message.batteryLevel);
  return writer.finish();
}
