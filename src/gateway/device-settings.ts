/**
 * The settings of a logger that we show and never set, by name (Efento proto_config.proto). Keys and passwords are left
 * out on purpose, and so are the fields that `config-message.ts` decodes.
 */
import type { BinaryReader } from '@bufbuild/protobuf/wire';
import { type Field, readNumbers, readText, readUint32 } from './wire-reader.ts';
import { type FieldWrite, writeNumbers, writeText, writeUint32 } from './wire-writer.ts';

/** As on the wire; only those that the device sent. */
export type DeviceSettings = Record<string, number | string | number[]>;

interface Setting {
  field: number;
  name: string;
  kind: 'number' | 'text' | 'numbers';
  /** Bytes of a text or entries of a list; unused for a number. */
  max: number;
}

const number = (field: number, name: string): Setting => ({ field, name, kind: 'number', max: 0 });
const text = (field: number, name: string, max: number): Setting => ({ field, name, kind: 'text', max });
const numbers = (field: number, name: string, max: number): Setting => ({
  field,
  name,
  kind: 'numbers',
  max,
});

/** By field, ascending. */
const SETTINGS: readonly Setting[] = [
  number(4, 'bleTurnoffTime'),
  number(5, 'ackInterval'),
  number(9, 'transferLimit'),
  number(10, 'transferLimitTimer'),
  text(11, 'dataServerIp', 31),
  number(12, 'dataServerPort'),
  text(13, 'updateServerIp', 31),
  number(14, 'updateServerPortUdp'),
  number(15, 'updateServerPortCoap'),
  text(16, 'apn', 49),
  number(17, 'plmnSelection'),
  number(23, 'cloudTokenConfig'),
  number(29, 'supervisionPeriod'),
  number(31, 'modemBandsMask'),
  text(32, 'dataEndpoint', 11),
  text(33, 'configurationEndpoint', 11),
  text(34, 'deviceInfoEndpoint', 11),
  text(35, 'timeEndpoint', 11),
  number(36, 'bleTxPowerLevel'),
  number(40, 'cloudTokenCoapOption'),
  number(41, 'payloadSignatureCoapOption'),
  numbers(42, 'dnsServerIp', 4),
  number(43, 'dnsTtlConfig'),
  numbers(46, 'cellularConfigParams', 64),
  numbers(50, 'ledConfig', 16),
  number(51, 'networkTroubleshooting'),
  number(52, 'modemIdentificationCoapOption'),
  number(59, 'bleAdvertisingPeriod'),
  number(60, 'bleAdvertisementFormat'),
  text(61, 'extendedConfigurationEndpoint', 11),
];

const byField = new Map(SETTINGS.map((setting) => [setting.field, setting]));

/** False when the field is no such setting. */
export function readSetting(settings: DeviceSettings, field: Field, reader: BinaryReader): boolean {
  const setting = byField.get(field.number);
  if (!setting) return false;
  const { name, kind, max } = setting;
  if (kind === 'text') settings[name] = readText(field, reader, max);
  else if (kind === 'number') settings[name] = readUint32(field, reader);
  else {
    const list = (settings[name] as number[] | undefined) ?? [];
    readNumbers(field, reader, list, { read: 'uint32', max });
    settings[name] = list;
  }
  return true;
}

/** One write for each setting, in ascending order. */
export function settingWrites(settings: DeviceSettings): FieldWrite[] {
  return SETTINGS.filter(({ name }) => settings[name] !== undefined).map(({ field, name, kind }) => ({
    field,
    write(writer) {
      const value = settings[name];
      if (kind === 'text') writeText(writer, field, value as string);
      else if (kind === 'number') writeUint32(writer, field, value as number);
      else writeNumbers(writer, field, value as number[], 'uint32');
    },
  }));
}
