/**
 * A logger's configuration on the wire (Efento proto_config.proto), which is one message for two ways: what a device
 * reports to `c`, and what the server answers to its measurements. Both are decoded and encoded here, so that the
 * simulated device speaks through the same code.
 *
 * On the wire 0 means "not set" in every field, so a partial configuration is one that leaves fields out.
 */
import type { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
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
import { MalformedMessage } from './malformed-message.ts';
import { CLOUD_TOKEN_MAX } from './measurements-message.ts';
import { readRule, writeRules } from './rule-codec.ts';
import {
  type Field,
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
  newWriter,
  writeBool,
  writeNumbers,
  writeSerialNumber,
  writeSint32,
  writeText,
  writeTime,
  writeUint32,
} from './wire-writer.ts';

/** What a device says of itself; null = not sent. */
export interface ConfigReport {
  /** Upper-case hex of 6 bytes. */
  serialNumber: string;
  /** Natural units; only what the device sent. */
  config: DeviceConfiguration;
  /** The device's own number for its configuration. */
  configurationHash: number | null;
  /** When the device took this configuration. */
  configurationHashAt: Date | null;
  /** Codes of what it could not take. */
  configurationErrors: number[];
  configurationErrorsAt: Date | null;
  cloudToken: string | null;
  /** Numbers of measurement types; position = channel. */
  channelTypes: number[];
  /** Below 0: this is part number -n and more follow. 0: not split. Above: the last of n parts. */
  payloadSplitInfo: number;
  /** 1 = defaults restored after damage, 2 = the memory could not be read; null = nothing of the kind. */
  nvmStatus: number | null;
  settings: DeviceSettings;
}

/** The payload of an answer to measurements; absent = not said. */
export interface ConfigAnswer {
  config?: DeviceConfiguration;
  /** Send your configuration. */
  configurationRequest?: boolean;
  /** Send your device info. */
  deviceInfoRequest?: boolean;
  /** Whole seconds. */
  currentTime?: Date;
}

const ERRORS_MAX = 20;
/** A report in more parts than this is none. */
export const PARTS_MAX = 16;

/**
 * @throws MalformedMessage, also for intervals out of the protocol's range: were they left out, the report could pass
 * for a confirmation.
 */
export function decodeConfigReport(bytes: Uint8Array): ConfigReport {
  const report = emptyReport();
  readMessage('Configuration report', bytes, (field, reader) => readReportField(report, field, reader));
  if (report.serialNumber === '')
    throw new MalformedMessage('Configuration report: there is no serial number');
  return report;
}

/** A report that says nothing; what a simulated device fills in. */
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
      report.payloadSplitInfo = splitInfo(readSint32(field, reader));
      return true;
    case 62:
      report.nvmStatus = readUint32(field, reader) || null;
      return true;
    default:
      return readConfigField(report.config, field, reader) || readSetting(report.settings, field, reader);
  }
}

function splitInfo(value: number): number {
  if (Math.abs(value) > PARTS_MAX) throw new MalformedMessage(`Over ${PARTS_MAX} parts`);
  return value;
}

/** The fields that the natural configuration has, the same on both ways. */
function readConfigField(config: DeviceConfiguration, field: Field, reader: BinaryReader): boolean {
  switch (field.number) {
    case 2:
      return setNumber(config, 'measurementPeriodBase', readUint32(field, reader, MEASUREMENT_PERIOD_MAX));
    case 3:
      return setNumber(config, 'transmissionInterval', transmissionInterval(field, reader));
    case 26:
      return setNumber(config, 'measurementPeriodFactor', readUint32(field, reader, MEASUREMENT_PERIOD_MAX));
    case 28:
      config.alarmRules = withOneMore(config.alarmRules, RULE_SLOTS_MAX, readRule(field, reader));
      return true;
    case 47:
      config.calendars = withOneMore(config.calendars, CALENDARS_MAX, readCalendar(field, reader));
      return true;
    default:
      return false;
  }
}

type NumberKey = 'measurementPeriodBase' | 'measurementPeriodFactor' | 'transmissionInterval';

/** True: the field is taken, also when it is 0 and sets nothing. */
function setNumber(config: DeviceConfiguration, key: NumberKey, value: number): true {
  if (value !== 0) config[key] = value;
  return true;
}

function transmissionInterval(field: Field, reader: BinaryReader): number {
  const seconds = readUint32(field, reader, TRANSMISSION_MAX_SECONDS);
  if (seconds > 0 && seconds < TRANSMISSION_MIN_SECONDS) {
    throw new MalformedMessage(`A transmission interval of ${seconds} s`);
  }
  return seconds;
}

function withOneMore<Entry>(list: Entry[] = [], max: number, entry: Entry): Entry[] {
  if (list.length >= max) throw new MalformedMessage(`There are over ${max} rules or calendars`);
  list.push(entry);
  return list;
}

export function encodeConfigReport(report: ConfigReport): Uint8Array {
  return written([
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
 * The report in as many messages as given, the way a device splits one: intervals first, then the rules, then the
 * rest; each with serial, hash and its number. From 1 (not split) to 3 parts.
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

/** Nothing to say is no byte at all. */
export function encodeConfigAnswer(answer: ConfigAnswer): Uint8Array {
  return written([
    ...configWrites(answer.config ?? {}),
    { field: 6, write: (writer) => writeBool(writer, 6, answer.deviceInfoRequest) },
    { field: 8, write: (writer) => writeTime(writer, 8, answer.currentTime) },
    { field: 19, write: (writer) => writeBool(writer, 19, answer.configurationRequest) },
  ]);
}

interface FieldWrite {
  field: number;
  write(writer: BinaryWriter): void;
}

const configWrites = (config: DeviceConfiguration): FieldWrite[] => [
  { field: 2, write: (writer) => writeUint32(writer, 2, config.measurementPeriodBase) },
  { field: 3, write: (writer) => writeUint32(writer, 3, config.transmissionInterval) },
  { field: 26, write: (writer) => writeUint32(writer, 26, config.measurementPeriodFactor) },
  { field: 28, write: (writer) => writeRules(writer, 28, config.alarmRules) },
  { field: 47, write: (writer) => writeCalendars(writer, 47, config.calendars) },
];

function written(fields: FieldWrite[]): Uint8Array {
  const writer = newWriter();
  for (const { write } of fields.sort((a, b) => a.field - b.field)) write(writer);
  return writer.finish();
}
