/**
 * The settings of a logger that the service shows and never sets, by their names in logger-messages.proto,
 * which leaves out keys and passwords on purpose.
 */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ConfigReport, ConfigReportSchema } from './generated/logger-messages_pb.ts';
import { atMostEntries, orUnset, toText, toTextBytes } from './wire-format.ts';

/** As on the wire; only the settings that the device sent. */
export type DeviceSettings = Record<string, number | string | number[]>;

/** Bytes of text or entries of a list; unused for a number. */
const MAX_BY_SETTING = {
  bleTurnoffTime: 0,
  ackInterval: 0,
  transferLimit: 0,
  transferLimitTimer: 0,
  dataServerIp: 31,
  dataServerPort: 0,
  updateServerIp: 31,
  updateServerPortUdp: 0,
  updateServerPortCoap: 0,
  apn: 49,
  plmnSelection: 0,
  cloudTokenConfig: 0,
  supervisionPeriod: 0,
  modemBandsMask: 0,
  dataEndpoint: 11,
  configurationEndpoint: 11,
  deviceInfoEndpoint: 11,
  timeEndpoint: 11,
  bleTxPowerLevel: 0,
  cloudTokenCoapOption: 0,
  payloadSignatureCoapOption: 0,
  dnsServerIp: 4,
  dnsTtlConfig: 0,
  cellularConfigParams: 64,
  ledConfig: 16,
  networkTroubleshooting: 0,
  modemIdentificationCoapOption: 0,
  bleAdvertisingPeriod: 0,
  bleAdvertisementFormat: 0,
  extendedConfigurationEndpoint: 11,
} satisfies Partial<Record<keyof ConfigReport, number>>;

type Setting = keyof typeof MAX_BY_SETTING;

export function toSettings(sent: ConfigReport): DeviceSettings {
  const settings: DeviceSettings = {};
  for (const [name, max] of Object.entries(MAX_BY_SETTING)) {
    const value = toSetting(sent[name as Setting], max, name);
    if (value !== null) settings[name] = value;
  }
  return settings;
}

/** Null for a setting that was not sent. */
function toSetting(value: ConfigReport[Setting], max: number, name: string): DeviceSettings[string] | null {
  if (value instanceof Uint8Array) return toText(value, max, name);
  if (Array.isArray(value)) return value.length === 0 ? null : atMostEntries(value, max, name);
  return value ?? null;
}

export const toWireSettings = (settings: DeviceSettings): MessageInitShape<typeof ConfigReportSchema> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      typeof value === 'string' ? toTextBytes(value) : typeof value === 'number' ? orUnset(value) : value,
    ]),
  );
