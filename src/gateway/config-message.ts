/**
 * A logger's configuration on the wire (Efento proto_config.proto). One message has two uses: the device reports with
 * it to `c`, and the server answers measurements with it. Both directions are decoded and encoded here, so that the
 * simulated device uses the same code.
 *
 * On the wire 0 means "not set" in every field, so a partial configuration is one that leaves fields out.
 */
import type { BinaryReader } from '@bufbuild/protobuf/wire';
import { CHANNELS_MAX } from '../devices/channel-layout.ts';
import type { DeviceConfiguration } from '../devices/configuration.ts';
import {
  CALENDARS_MAX,
  MEASUREMENT_PERIOD_MAX,
  TRANSMISSION_MAX_SECONDS,
  TRANSMISSION_MIN_SECONDS,
} from '../devices/configuration-limits.ts';
import { RULE_SLOTS_MAX } from '../devices/device-capabilities.ts';
import { readCalendar, writeCalendars } from './calendar-codec.ts';
import { type DeviceSettings, readSetting, settingWrites } from './device-settings.ts';
import { CLOUD_TOKEN_MAX } from './measurements-message.ts';
import { readRule, writeRules } from './rule-codec.ts';
import {
  type Field,
  MalformedMessage,
  readBool,
  readMessage,
  readNumbers,
  readSerialNumber,
  readSint32,
  readText,
  readTime,
  readUint32,
} from './wire-reader.ts';
import {
  encodeFields,
  type FieldWrite,
  writeBool,
  writeNumbers,
  writeSerialNumber,
  writeSint32,
  writeText,
  writeTime,
  writeUint32,
} from './wire-writer.ts';

/** What a device reports; null = not sent. */
export interface ConfigReport {
  /** Upper-case hex of 6 bytes. */
  serialNumber: string;
  /** Natural units; only what the device sent. */
  config: DeviceConfiguration;
  /** The device's own number for its configuration. */
  configurationHash: number | null;
  /** When the device began to run this configuration. */
  configurationHashAt: Date | null;
  /** Codes of the settings that it could not apply. */
  configurationErrors: number[];
  configurationErrorsAt: Date | null;
  cloudToken: string | null;
  /** Numbers of measurement types; position = channel. */
  channelTypes: number[];
  /** -n: part n, and more parts exist. 0: not split. n: the last of n parts. */
  payloadSplitInfo: number;
  /** 1 = defaults restored after damage, 2 = the memory could not be read; null = no fault. */
  nvmStatus: number | null;
  settings: DeviceSettings;
}

/** The payload of an answer to measurements; an absent key is left out. */
export interface ConfigAnswer {
  config?: DeviceConfiguration;
  /** Asks the device for its configuration. */
  configurationRequest?: boolean;
  /** Asks the device for its device info. */
  deviceInfoRequest?: boolean;
  /** Whole seconds. */
  currentTime?: Date;
}

const ERRORS_MAX = 20;
/** A report in more parts is malformed. */
const PARTS_MAX = 16;

/**
 * @throws MalformedMessage, also for intervals out of the protocol's range: if they were left out, the report could
 * confirm a change that the device did not apply.
 */
export function decodeConfigReport(bytes: Uint8Array): ConfigReport {
  const report = emptyReport();
  readMessage('Configuration report', bytes, (field, reader) => readReportField(report, field, reader));
  if (report.serialNumber === '')
    throw new MalformedMessage('Configuration report: there is no serial number');
  return report;
}

/** A report without any field set; decoding and the simulated device fill it in. */
export const emptyReport = (): ConfigReport => ({
  serialNumber: '',
  config: {},
  configurationHash: null,
  configurationHashAt: null,
  configurationErrors: [],
  configurationErrorsAt: null,
  cloudToken: null,
  channelTypes: [],
  payloadSplitInfo: 0,
  nvmStatus: null,
  settings: {},
});

function readReportField(report: ConfigReport, field: Field, reader: BinaryReader): boolean {
  switch (field.number) {
    case 20:
      readNumbers(field, reader, report.configurationErrors, { read: 'uint32', max: ERRORS_MAX });
      return true;
    case 21:
      report.configurationHash = readUint32(field, reader);
      return true;
    case 24:
      report.cloudToken = readText(field, reader, CLOUD_TOKEN_MAX);
      return true;
    case 25:
      report.serialNumber = readSerialNumber(field, reader);
      return true;
    case 27:
      readNumbers(field, reader, report.channelTypes, { read: 'int32', max: CHANNELS_MAX });
      return true;
    case 38:
      report.configurationErrorsAt = readTime(field, reader);
      return true;
    case 39:
      report.configurationHashAt = readTime(field, reader);
      return true;
    case 44:
      report.payloadSplitInfo = readSplitInfo(field, reader);
      return true;
    case 62:
      report.nvmStatus = readUint32(field, reader) || null;
      return true;
    default:
      return readConfigField(report.config, field, reader) || readSetting(report.settings, field, reader);
  }
}

function readSplitInfo(field: Field, reader: BinaryReader): number {
  const value = readSint32(field, reader);
  if (Math.abs(value) > PARTS_MAX)
    throw new MalformedMessage(`Configuration report: it has over ${PARTS_MAX} parts`);
  return value;
}

/** Reads the fields of the configuration itself, which are the same in reports and answers. */
function readConfigField(config: DeviceConfiguration, field: Field, reader: BinaryReader): boolean {
  switch (field.number) {
    case 2:
      return setNumber(config, 'measurementPeriodBase', readUint32(field, reader, MEASUREMENT_PERIOD_MAX));
    case 3:
      return setNumber(config, 'transmissionInterval', readTransmissionInterval(field, reader));
    case 26:
      return setNumber(config, 'measurementPeriodFactor', readUint32(field, reader, MEASUREMENT_PERIOD_MAX));
    case 28:
      config.alarmRules = appendTo(config.alarmRules, RULE_SLOTS_MAX, readRule(field, reader));
      return true;
    case 47:
      config.calendars = appendTo(config.calendars, CALENDARS_MAX, readCalendar(field, reader));
      return true;
    default:
      return false;
  }
}

type NumberKey = 'measurementPeriodBase' | 'measurementPeriodFactor' | 'transmissionInterval';

/** Returns true because the field is known, also when it is 0 and sets nothing. */
function setNumber(config: DeviceConfiguration, key: NumberKey, value: number): true {
  if (value !== 0) config[key] = value;
  return true;
}

function readTransmissionInterval(field: Field, reader: BinaryReader): number {
  const seconds = readUint32(field, reader, TRANSMISSION_MAX_SECONDS);
  if (seconds > 0 && seconds < TRANSMISSION_MIN_SECONDS) {
    throw new MalformedMessage(
      `The transmission interval is ${seconds} s, less than ${TRANSMISSION_MIN_SECONDS}`,
    );
  }
  return seconds;
}

function appendTo<Entry>(list: Entry[] = [], max: number, entry: Entry): Entry[] {
  if (list.length >= max) throw new MalformedMessage(`There are over ${max} rules or calendars`);
  list.push(entry);
  return list;
}

export function encodeConfigReport(report: ConfigReport): Uint8Array {
  return encodeFields([
    ...configWrites(report.config),
    { field: 20, write: (writer) => writeNumbers(writer, 20, report.configurationErrors, 'uint32') },
    { field: 21, write: (writer) => writeUint32(writer, 21, report.configurationHash) },
    { field: 24, write: (writer) => writeText(writer, 24, report.cloudToken) },
    { field: 25, write: (writer) => writeSerialNumber(writer, 25, report.serialNumber) },
    { field: 27, write: (writer) => writeNumbers(writer, 27, report.channelTypes, 'int32') },
    { field: 38, write: (writer) => writeTime(writer, 38, report.configurationErrorsAt) },
    { field: 39, write: (writer) => writeTime(writer, 39, report.configurationHashAt) },
    { field: 44, write: (writer) => writeSint32(writer, 44, report.payloadSplitInfo) },
    { field: 62, write: (writer) => writeUint32(writer, 62, report.nvmStatus) },
    ...settingWrites(report.settings),
  ]);
}

/**
 * Splits a report as a device does: intervals first, then the rules, then the rest. Each part has the serial number,
 * the hash and its own number; one part means not split.
 */
export function encodeConfigReportParts(report: ConfigReport, partCount: 1 | 2 | 3): Uint8Array[] {
  if (partCount === 1) return [encodeConfigReport({ ...report, payloadSplitInfo: 1 })];
  const { alarmRules, calendars, ...intervals } = report.config;
  const { serialNumber, configurationHash } = report;
  const common = { ...emptyReport(), serialNumber, configurationHash };
  const rules = { ...common, config: alarmRules ? { alarmRules } : {} };
  const rest = { ...report, config: calendars ? { calendars } : {} };
  const parts =
    partCount === 2
      ? [{ ...rules, config: { ...intervals, ...rules.config } }, rest]
      : [{ ...common, config: intervals }, rules, rest];
  return parts.map((part, index) => {
    const number = index + 1;
    return encodeConfigReport({ ...part, payloadSplitInfo: number === partCount ? number : -number });
  });
}

/** @throws MalformedMessage */
export function decodeConfigAnswer(bytes: Uint8Array): ConfigAnswer {
  const answer: ConfigAnswer = {};
  const config: DeviceConfiguration = {};
  readMessage('Configuration answer', bytes, (field, reader) => {
    if (field.number === 6) answer.deviceInfoRequest = readBool(field, reader);
    else if (field.number === 8) answer.currentTime = new Date(readUint32(field, reader) * 1000);
    else if (field.number === 19) answer.configurationRequest = readBool(field, reader);
    else return readConfigField(config, field, reader);
    return true;
  });
  return Object.keys(config).length > 0 ? { ...answer, config } : answer;
}

/** An answer without keys has no bytes. */
export function encodeConfigAnswer(answer: ConfigAnswer): Uint8Array {
  return encodeFields([
    ...(answer.config ? configWrites(answer.config) : []),
    { field: 6, write: (writer) => writeBool(writer, 6, answer.deviceInfoRequest) },
    { field: 8, write: (writer) => writeTime(writer, 8, answer.currentTime) },
    { field: 19, write: (writer) => writeBool(writer, 19, answer.configurationRequest) },
  ]);
}

const configWrites = (config: DeviceConfiguration): FieldWrite[] => [
  { field: 2, write: (writer) => writeUint32(writer, 2, config.measurementPeriodBase) },
  { field: 3, write: (writer) => writeUint32(writer, 3, config.transmissionInterval) },
  { field: 26, write: (writer) => writeUint32(writer, 26, config.measurementPeriodFactor) },
  { field: 28, write: (writer) => writeRules(writer, 28, config.alarmRules) },
  { field: 47, write: (writer) => writeCalendars(writer, 47, config.calendars) },
];
