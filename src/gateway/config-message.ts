/**
 * A logger's configuration on the wire (Efento proto_config.proto). One message has two uses: the device
 * sends it as a report to `c`, and the server answers measurements with it. Both directions are decoded and
 * encoded here, so that the simulated device uses the same code.
 *
 * On the wire 0 means "not set" in every field, so a partial configuration leaves fields out.
 */

import type { DeviceConfiguration } from '../devices/configuration.ts';
import {
  CALENDARS_MAX,
  TRANSMISSION_MAX_SECONDS,
  TRANSMISSION_MIN_SECONDS,
} from '../devices/configuration.ts';
import { CHANNELS_MAX, RULE_SLOTS_MAX } from '../devices/device-capabilities.ts';
import {
  ConfigAnswerSchema,
  ConfigReportSchema,
  type ConfigAnswer as WireAnswer,
  type ConfigReport as WireReport,
} from './generated/logger-messages_pb.ts';
import { toPeriod, toType } from './measurements-message.ts';
import { toCalendar, toRule, toWireCalendar, toWireRule } from './rule-codec.ts';
import {
  atMost,
  atMostEntries,
  MalformedMessage,
  orUnset,
  readMessage,
  toSeconds,
  toSerialBytes,
  toSerialNumber,
  toTextBytes,
  toTime,
  writeMessage,
} from './wire-format.ts';

/** A report of a device; null = not sent. */
export interface ConfigReport {
  /** Upper-case hex of 6 bytes. */
  serialNumber: string;
  /** Natural units; only settings that the device sent. */
  config: DeviceConfiguration;
  /** The device's own number for its configuration. */
  configurationHash: number | null;
  /** Codes of the settings that it could not apply. */
  configurationErrors: number[];
  configurationErrorsAt: Date | null;
  /** The text that the device stores, which need not be a token: see `cloudTokenConfig`. */
  cloudToken: string | null;
  /** 1: the token is sent in a field, 2: the IMEI in its place, 255: none. */
  cloudTokenConfig: number | null;
  /** Numbers of measurement types; the position is the channel. */
  channelTypes: number[];
  /** -n: part n, and more parts exist. 0: not split. n: the last of n parts. */
  payloadSplitInfo: number;
}

/** The payload of an answer to measurements; an absent key is left out. */
export interface ConfigAnswer {
  config?: DeviceConfiguration;
  /** Requests the configuration of the device. */
  configurationRequest?: boolean;
  /** Whole seconds. */
  currentTime?: Date;
}

const ERRORS_MAX = 20;
/** A report with more parts is malformed. */
const PARTS_MAX = 16;

/**
 * @throws MalformedMessage, also for intervals out of the protocol's range: if they were left out, the report
 * could confirm a change that the device did not apply.
 */
export function decodeConfigReport(bytes: Uint8Array): ConfigReport {
  const sent = readMessage('Configuration report', ConfigReportSchema, bytes);
  return {
    serialNumber: toSerialNumber(sent.serialNumber),
    config: toConfiguration(sent),
    configurationHash: sent.configurationHash ?? null,
    configurationErrors: atMostEntries(sent.configurationErrors, ERRORS_MAX, 'The list of errors'),
    configurationErrorsAt: toTime(sent.configurationErrorTimestamp),
    // A text that is no token must not refuse the report, which may confirm a change.
    cloudToken: sent.cloudToken ? Buffer.from(sent.cloudToken).toString() : null,
    cloudTokenConfig: sent.cloudTokenConfig ?? null,
    channelTypes: atMostEntries(sent.channelTypes, CHANNELS_MAX, 'The list of channel types').map(toType),
    payloadSplitInfo: toSplitInfo(sent.payloadSplitInfo),
  };
}

/** A report without any field; decoding and the simulated device fill it in. */
export const emptyReport = (): ConfigReport => ({
  serialNumber: '',
  config: {},
  configurationHash: null,
  configurationErrors: [],
  configurationErrorsAt: null,
  cloudToken: null,
  cloudTokenConfig: null,
  channelTypes: [],
  payloadSplitInfo: 0,
});

function toSplitInfo(value: number): number {
  atMost(Math.abs(value), PARTS_MAX, 'The number of parts');
  return value;
}

/** The configuration itself, which is the same in reports and answers; 0 sets nothing. */
function toConfiguration(sent: WireReport | WireAnswer): DeviceConfiguration {
  const measurementPeriodBase = toPeriod(sent.measurementPeriodBase);
  const measurementPeriodFactor = toPeriod(sent.measurementPeriodFactor);
  const transmissionInterval = toTransmissionInterval(sent.transmissionInterval);
  const alarmRules = atMostEntries(sent.rules, RULE_SLOTS_MAX, 'The list of rules').map(toRule);
  const calendars = atMostEntries(sent.calendars, CALENDARS_MAX, 'The list of calendars').map(toCalendar);
  return {
    ...(measurementPeriodBase !== 0 && { measurementPeriodBase }),
    ...(transmissionInterval !== 0 && { transmissionInterval }),
    ...(measurementPeriodFactor !== 0 && { measurementPeriodFactor }),
    ...(alarmRules.length > 0 && { alarmRules }),
    ...(calendars.length > 0 && { calendars }),
  };
}

function toTransmissionInterval(seconds: number): number {
  if (seconds > 0 && seconds < TRANSMISSION_MIN_SECONDS) {
    throw new MalformedMessage(
      `The transmission interval is ${seconds} s, less than ${TRANSMISSION_MIN_SECONDS}`,
    );
  }
  return atMost(seconds, TRANSMISSION_MAX_SECONDS, 'The transmission interval');
}

export const encodeConfigReport = (report: ConfigReport): Uint8Array =>
  writeMessage(ConfigReportSchema, {
    ...toWireConfiguration(report.config),
    configurationErrors: report.configurationErrors,
    configurationHash: orUnset(report.configurationHash),
    cloudTokenConfig: orUnset(report.cloudTokenConfig),
    cloudToken: toTextBytes(report.cloudToken),
    serialNumber: toSerialBytes(report.serialNumber),
    channelTypes: report.channelTypes,
    configurationErrorTimestamp: toSeconds(report.configurationErrorsAt),
    payloadSplitInfo: report.payloadSplitInfo,
  });

/**
 * Splits a report as a device does: intervals first, then the rules, then the rest. Each part has the serial
 * number, the hash and its own number; one part means not split.
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
  const sent = readMessage('Configuration answer', ConfigAnswerSchema, bytes);
  const config = toConfiguration(sent);
  const currentTime = toTime(sent.currentTime);
  return {
    ...(Object.keys(config).length > 0 && { config }),
    ...(sent.configurationRequest && { configurationRequest: true }),
    ...(currentTime && { currentTime }),
  };
}

/** An answer without keys has no bytes. */
export const encodeConfigAnswer = (answer: ConfigAnswer): Uint8Array =>
  writeMessage(ConfigAnswerSchema, {
    ...toWireConfiguration(answer.config ?? {}),
    currentTime: toSeconds(answer.currentTime),
    configurationRequest: answer.configurationRequest ?? false,
  });

const toWireConfiguration = ({ alarmRules = [], calendars = [], ...intervals }: DeviceConfiguration) => ({
  ...intervals,
  rules: alarmRules.map(toWireRule),
  calendars: calendars.map(toWireCalendar),
});
