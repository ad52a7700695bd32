/**
 * The device info that a logger sends to `i` (Efento proto_device_info.proto): firmware, power, radio. Decoding covers
 * the fields that the service shows; encoding is for the simulator.
 */
import {
  DeviceInfoSchema,
  type RuntimeInfo,
  type Modem as WireModem,
} from './generated/logger-messages_pb.ts';
import { CLOUD_TOKEN_MAX } from './measurements-message.ts';
import {
  atMost,
  atMostEntries,
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

/** Null: not sent, or sent as unknown. */
export interface DeviceInfo {
  /** Upper-case hex of 6 bytes. */
  serialNumber: string;
  cloudToken: string | null;
  /** For example "06.10". */
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
  /** 1: no update yet, 2: success, from 3 on: an error. */
  lastUpdateStatus: number | null;
  enclosureTamperAlert: boolean;
}

/** The part that may be stored and shown, without the credential, which only authenticates the message. */
type DeviceInfoWithoutCredentials = Omit<DeviceInfo, 'cloudToken'>;

export function withoutCredentials({ cloudToken, ...info }: DeviceInfo): DeviceInfoWithoutCredentials {
  return info;
}

interface ModemInfo {
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
/** The number that the BC660 sends. */
const PARAMETERS_SENT = 21;

/** @throws MalformedMessage */
export function decodeDeviceInfo(bytes: Uint8Array): DeviceInfo {
  const sent = readMessage('Device info', DeviceInfoSchema, bytes);
  return {
    ...emptyDeviceInfo(),
    serialNumber: toSerialNumber(sent.serialNumber),
    cloudToken: toText(sent.cloudToken, CLOUD_TOKEN_MAX, 'The token'),
    softwareVersion: toVersionText(atMost(sent.softwareVersion, 0xffff, 'The software version')),
    commitId: toText(sent.commitId, COMMIT_ID_MAX, 'The commit'),
    ...(sent.runtimeInfo && toRuntime(sent.runtimeInfo)),
    modem: sent.modem ? toModem(sent.modem) : null,
    lastUpdateAt: toTime(sent.lastUpdateInfo?.timestamp ?? 0),
    lastUpdateStatus: sent.lastUpdateInfo?.status ?? null,
    enclosureTamperAlert: sent.enclosureTamperAlert,
  };
}

const toRuntime = (sent: RuntimeInfo) => ({
  upTimeSeconds: sent.upTime ?? null,
  mcuTemperatureC: sent.mcuTemperature ?? null,
  batteryMillivolts: nullIf(sent.batteryVoltage ?? NO_MILLIVOLTS, NO_MILLIVOLTS),
  messageCounters: atMostEntries(sent.messageCounters, COUNTERS_MAX, 'The list of counters'),
  runtimeErrors: atMostEntries(sent.runtimeErrors, ERRORS_MAX, 'The list of errors'),
  resetCounter: sent.resetCounter ?? null,
  batteryResetAt: toTime(sent.batteryResetTimestamp),
});

function toModem(sent: WireModem): ModemInfo {
  const parameters = atMostEntries(sent.parameters, PARAMETERS_MAX, 'The list of parameters');
  const modem = {
    ...emptyModem(),
    type: sent.type,
    simCard: nullIfUnknown(toText(sent.simCard, SIM_CARD_MAX, 'The SIM card')),
    firmwareVersion: sent.firmwareVersion ?? null,
    imei: nullIfUnknown(toText(sent.imei, IMEI_MAX, 'The IMEI')),
  };
  for (const { name, index, unknown } of PARAMETERS)
    modem[name] = nullIf(parameters[index] ?? unknown, unknown);
  return modem;
}

/** Device info without any field; decoding and the simulated device fill it in. */
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
const nullIfUnknown = (text: string | null) => (text === '' || text === UNKNOWN_TEXT ? null : text);

/** 1546 = 0x060A is 06.10. */
function toVersionText(version: number): string | null {
  if (version === 0) return null;
  return [version >> 8, version & 0xff].map((part) => String(part).padStart(2, '0')).join('.');
}

function toVersionNumber(text: string | null): number {
  const [major = 0, minor = 0] = (text ?? '').split('.').map(Number);
  return (major << 8) | minor;
}

export const encodeDeviceInfo = (info: DeviceInfo): Uint8Array =>
  writeMessage(DeviceInfoSchema, {
    serialNumber: toSerialBytes(info.serialNumber),
    softwareVersion: toVersionNumber(info.softwareVersion),
    runtimeInfo: {
      upTime: orUnset(info.upTimeSeconds),
      messageCounters: info.messageCounters,
      mcuTemperature: orUnset(info.mcuTemperatureC),
      batteryVoltage: orUnset(info.batteryMillivolts ?? NO_MILLIVOLTS),
      batteryResetTimestamp: toSeconds(info.batteryResetAt),
      runtimeErrors: info.runtimeErrors,
      resetCounter: orUnset(info.resetCounter),
    },
    modem: info.modem ? toWireModem(info.modem) : undefined,
    commitId: toTextBytes(info.commitId),
    cloudToken: toTextBytes(info.cloudToken),
    lastUpdateInfo:
      info.lastUpdateAt || info.lastUpdateStatus
        ? { timestamp: toSeconds(info.lastUpdateAt), status: orUnset(info.lastUpdateStatus) }
        : undefined,
    enclosureTamperAlert: info.enclosureTamperAlert,
  });

const toWireModem = (modem: ModemInfo) => ({
  type: modem.type,
  parameters: toParameters(modem),
  simCard: toTextBytes(modem.simCard),
  firmwareVersion: orUnset(modem.firmwareVersion),
  imei: toTextBytes(modem.imei),
});

function toParameters(modem: ModemInfo): number[] {
  const parameters = Array<number>(PARAMETERS_SENT).fill(-1);
  for (const { name, index, unknown } of PARAMETERS) parameters[index] = modem[name] ?? unknown;
  return parameters;
}
