/**
 * The device info that a logger sends to `i` (Efento proto_device_info.proto): firmware, power, radio. Decoding covers
 * what the service shows; encoding is for the simulator.
 */
import type { BinaryReader } from '@bufbuild/protobuf/wire';
import { CLOUD_TOKEN_MAX } from './measurements-message.ts';
import {
  type Field,
  MalformedMessage,
  readBool,
  readEmbedded,
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
  writeNumbers,
  writeSerialNumber,
  writeSint32,
  writeText,
  writeTime,
  writeUint32,
} from './wire-writer.ts';

/** Null = not sent, or sent as unknown. */
export interface DeviceInfo {
  /** Upper-case hex of 6 bytes. */
  serialNumber: string;
  cloudToken: string | null;
  /** Such as "06.10". */
  softwareVersion: string | null;
  commitId: string | null;
  upTimeSeconds: number | null;
  mcuTemperatureC: number | null;
  batteryMillivolts: number | null;
  /** Since the last reset: confirmable and non-confirmable attempts, then messages delivered. */
  messageCounters: number[];
  runtimeErrors: number[];
  resetCounter: number | null;
  batteryResetAt: Date | null;
  modem: ModemInfo | null;
  lastUpdateAt: Date | null;
  /** 1 = no update yet, 2 = success, from 3 on an error. */
  lastUpdateStatus: number | null;
  enclosureTamperAlert: boolean;
}

/** What may be kept and shown: credentials serve to authenticate the message, and nothing else. */
export type DeviceInfoWithoutCredentials = Omit<DeviceInfo, 'cloudToken'>;

export function withoutCredentials({ cloudToken, ...info }: DeviceInfo): DeviceInfoWithoutCredentials {
  return info;
}

export interface ModemInfo {
  /** 1 BC66, 2 BC66-NA, 3 shared, 4 BC660. */
  type: number;
  rsrpDbm: number | null;
  rsrqDb: number | null;
  rssiDbm: number | null;
  sinrDb: number | null;
  band: number | null;
  /** Coverage enhancement, 0..2. */
  ecl: number | null;
  /** ICCID of the SIM card. */
  simCard: string | null;
  firmwareVersion: number | null;
  imei: string | null;
}

const NO_MILLIVOLTS = 65_535;
const ERRORS_MAX = 20;
const COUNTERS_MAX = 8;
const COMMIT_ID_MAX = 16;
const SIM_CARD_MAX = 22;
const IMEI_MAX = 22;
/** The text for "unknown". */
const UNKNOWN_TEXT = '\x7f';

/** The index of each value among the modem's parameters, and the number that means unknown. */
const PARAMETERS = [
  { name: 'rsrpDbm', index: 4, unknown: 0 },
  { name: 'rsrqDb', index: 5, unknown: 0 },
  { name: 'rssiDbm', index: 6, unknown: 0 },
  { name: 'sinrDb', index: 7, unknown: 31 },
  { name: 'band', index: 8, unknown: -1 },
  { name: 'ecl', index: 10, unknown: -1 },
] as const;
const PARAMETERS_MAX = 64;
/** As many as the BC660 sends. */
const PARAMETERS_SENT = 21;

/** @throws MalformedMessage */
export function decodeDeviceInfo(bytes: Uint8Array): DeviceInfo {
  const info = emptyDeviceInfo();
  readMessage('Device info', bytes, (field, reader) => readField(info, field, reader));
  if (info.serialNumber === '') throw new MalformedMessage('Device info: there is no serial number');
  return info;
}

/** Device info without any field set; decoding and the simulated device fill it in. */
export const emptyDeviceInfo = (): DeviceInfo => ({
  serialNumber: '',
  cloudToken: null,
  softwareVersion: null,
  commitId: null,
  upTimeSeconds: null,
  mcuTemperatureC: null,
  batteryMillivolts: null,
  messageCounters: [],
  runtimeErrors: [],
  resetCounter: null,
  batteryResetAt: null,
  modem: null,
  lastUpdateAt: null,
  lastUpdateStatus: null,
  enclosureTamperAlert: false,
});

function readField(info: DeviceInfo, field: Field, reader: BinaryReader): boolean {
  switch (field.number) {
    case 1:
      info.serialNumber = readSerialNumber(field, reader);
      return true;
    case 3:
      info.softwareVersion = toVersionText(readUint32(field, reader, 0xffff));
      return true;
    case 13:
      readEmbedded(field, reader, (inner) => readRuntimeField(info, inner, reader));
      return true;
    case 14:
      info.modem = readModem(field, reader);
      return true;
    case 15:
      info.commitId = readText(field, reader, COMMIT_ID_MAX);
      return true;
    case 16:
      info.cloudToken = readText(field, reader, CLOUD_TOKEN_MAX);
      return true;
    case 18:
      readEmbedded(field, reader, (inner) => readUpdateField(info, inner, reader));
      return true;
    case 19:
      info.enclosureTamperAlert = readBool(field, reader);
      return true;
    default:
      return false;
  }
}

function readRuntimeField(info: DeviceInfo, field: Field, reader: BinaryReader): boolean {
  switch (field.number) {
    case 1:
      info.upTimeSeconds = readUint32(field, reader);
      return true;
    case 2:
      readNumbers(field, reader, info.messageCounters, { read: 'uint32', max: COUNTERS_MAX });
      return true;
    case 3:
      info.mcuTemperatureC = readSint32(field, reader);
      return true;
    case 4:
      info.batteryMillivolts = nullIf(readUint32(field, reader), NO_MILLIVOLTS);
      return true;
    case 6:
      info.batteryResetAt = readTime(field, reader);
      return true;
    case 9:
      readNumbers(field, reader, info.runtimeErrors, { read: 'uint32', max: ERRORS_MAX });
      return true;
    case 10:
      info.resetCounter = readUint32(field, reader);
      return true;
    default:
      return false;
  }
}

function readUpdateField(info: DeviceInfo, field: Field, reader: BinaryReader): boolean {
  if (field.number === 1) info.lastUpdateAt = readTime(field, reader);
  else if (field.number === 2) info.lastUpdateStatus = readUint32(field, reader);
  else return false;
  return true;
}

function readModem(field: Field, reader: BinaryReader): ModemInfo {
  const parameters: number[] = [];
  const modem = emptyModem();
  readEmbedded(field, reader, (inner) => {
    if (inner.number === 1) modem.type = readUint32(inner, reader);
    else if (inner.number === 2)
      readNumbers(inner, reader, parameters, { read: 'sint32', max: PARAMETERS_MAX });
    else if (inner.number === 3) modem.simCard = nullIfUnknown(readText(inner, reader, SIM_CARD_MAX));
    else if (inner.number === 4) modem.firmwareVersion = readUint32(inner, reader);
    else if (inner.number === 5) modem.imei = nullIfUnknown(readText(inner, reader, IMEI_MAX));
    else return false;
    return true;
  });
  for (const { name, index, unknown } of PARAMETERS)
    modem[name] = nullIf(parameters[index] ?? unknown, unknown);
  return modem;
}

export const emptyModem = (): ModemInfo => ({
  type: 0,
  rsrpDbm: null,
  rsrqDb: null,
  rssiDbm: null,
  sinrDb: null,
  band: null,
  ecl: null,
  simCard: null,
  firmwareVersion: null,
  imei: null,
});

const nullIf = (value: number, unknown: number) => (value === unknown ? null : value);
const nullIfUnknown = (text: string) => (text === '' || text === UNKNOWN_TEXT ? null : text);

/** 1546 = 0x060A is 06.10. */
function toVersionText(version: number): string | null {
  if (version === 0) return null;
  return [version >> 8, version & 0xff].map((part) => String(part).padStart(2, '0')).join('.');
}

function toVersionNumber(text: string | null): number {
  const [major = 0, minor = 0] = (text ?? '').split('.').map(Number);
  return (major << 8) | minor;
}

export function encodeDeviceInfo(info: DeviceInfo): Uint8Array {
  const writer = newWriter();
  writeSerialNumber(writer, 1, info.serialNumber);
  writeUint32(writer, 3, toVersionNumber(info.softwareVersion));
  writeEmbedded(writer, 13, () => {
    writeUint32(writer, 1, info.upTimeSeconds);
    writeNumbers(writer, 2, info.messageCounters, 'uint32');
    writeSint32(writer, 3, info.mcuTemperatureC);
    writeUint32(writer, 4, info.batteryMillivolts ?? NO_MILLIVOLTS);
    writeTime(writer, 6, info.batteryResetAt);
    writeNumbers(writer, 9, info.runtimeErrors, 'uint32');
    writeUint32(writer, 10, info.resetCounter);
  });
  const { modem } = info;
  if (modem) {
    writeEmbedded(writer, 14, () => {
      writeUint32(writer, 1, modem.type);
      writeNumbers(writer, 2, toParameters(modem), 'sint32');
      writeText(writer, 3, modem.simCard);
      writeUint32(writer, 4, modem.firmwareVersion);
      writeText(writer, 5, modem.imei);
    });
  }
  writeText(writer, 15, info.commitId);
  writeText(writer, 16, info.cloudToken);
  if (info.lastUpdateAt || info.lastUpdateStatus) {
    writeEmbedded(writer, 18, () => {
      writeTime(writer, 1, info.lastUpdateAt);
      writeUint32(writer, 2, info.lastUpdateStatus);
    });
  }
  writeBool(writer, 19, info.enclosureTamperAlert);
  return writer.finish();
}

function toParameters(modem: ModemInfo): number[] {
  const parameters = Array<number>(PARAMETERS_SENT).fill(-1);
  for (const { name, index, unknown } of PARAMETERS) parameters[index] = modem[name] ?? unknown;
  return parameters;
}
