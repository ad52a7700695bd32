/**
 * The device info that a logger sends to `i` (Efento proto_device_info.proto): firmware, power, radio, as far as the
 * service keeps it.
 */
import { DeviceInfoSchema, type Modem as WireModem } from './generated/logger-messages_pb.ts';
import { CLOUD_TOKEN_MAX } from './measurements-message.ts';
import { atMost, atMostEntries, readMessage, toSerialNumber, toText } from './wire-format.ts';

/** Null: not sent, or sent as unknown. */
export interface DeviceInfo {
  /** Upper-case hex of 6 bytes. */
  serialNumber: string;
  cloudToken: string | null;
  /** For example "06.10". */
  softwareVersion: string | null;
  batteryMillivolts: number | null;
  modem: ModemInfo | null;
}

/** The part that may be stored and shown, without the credential, which only authenticates the message. */
export const withoutCredentials = ({ cloudToken, ...info }: DeviceInfo) => info;

interface ModemInfo {
  rsrpDbm: number | null;
  rsrqDb: number | null;
  rssiDbm: number | null;
  sinrDb: number | null;
  band: number | null;
  /** Coverage enhancement, 0..2. */
  ecl: number | null;
}

export const NO_MILLIVOLTS = 65_535;

/** The index of each value among the modem's parameters, and the number that means unknown. */
export const PARAMETERS = [
  { name: 'rsrpDbm', index: 4, unknown: 0 },
  { name: 'rsrqDb', index: 5, unknown: 0 },
  { name: 'rssiDbm', index: 6, unknown: 0 },
  { name: 'sinrDb', index: 7, unknown: 31 },
  { name: 'band', index: 8, unknown: -1 },
  { name: 'ecl', index: 10, unknown: -1 },
] as const;
const PARAMETERS_MAX = 64;

/** @throws MalformedMessage */
export function decodeDeviceInfo(bytes: Uint8Array): DeviceInfo {
  const sent = readMessage('Device info', DeviceInfoSchema, bytes);
  return {
    serialNumber: toSerialNumber(sent.serialNumber),
    cloudToken: toText(sent.cloudToken, CLOUD_TOKEN_MAX, 'The token'),
    softwareVersion: toVersionText(atMost(sent.softwareVersion, 0xffff, 'The software version')),
    batteryMillivolts: nullIf(sent.runtimeInfo?.batteryVoltage ?? NO_MILLIVOLTS, NO_MILLIVOLTS),
    modem: sent.modem ? toModem(sent.modem) : null,
  };
}

function toModem(sent: WireModem): ModemInfo {
  const parameters = atMostEntries(sent.parameters, PARAMETERS_MAX, 'The list of parameters');
  const modem = emptyModem();
  for (const { name, index, unknown } of PARAMETERS)
    modem[name] = nullIf(parameters[index] ?? unknown, unknown);
  return modem;
}

export const emptyModem = (): ModemInfo => ({
  rsrpDbm: null,
  rsrqDb: null,
  rssiDbm: null,
  sinrDb: null,
  band: null,
  ecl: null,
});

const nullIf = (value: number, unknown: number) => (value === unknown ? null : value);

/** 1546 = 0x060A is 06.10. */
function toVersionText(version: number): string | null {
  if (version === 0) return null;
  return [version >> 8, version & 0xff].map((part) => String(part).padStart(2, '0')).join('.');
}
