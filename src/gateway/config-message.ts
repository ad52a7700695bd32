/**
 * A logger's configuration on the wire (Efento proto_config.proto). One message has two uses: the device
 * sends it as a report to `c`, and the server answers measurements with it.
 *
 * On the wire 0 means "not set" in every field, so a partial configuration leaves fields out.
 */

import {
  CALENDARS_MAX,
  type DeviceConfiguration,
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
  readMessage,
  toSeconds,
  toSerialNumber,
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

function toSplitInfo(value: number): number {
  atMost(Math.abs(value), PARTS_MAX, 'The number of parts');
  return value;
}

/** The configuration itself, which is the same in reports and answers; 0 sets nothing. */
export function toConfiguration(sent: WireReport | WireAnswer): DeviceConfiguration {
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

/** An answer without keys has no bytes. */
export const encodeConfigAnswer = (answer: ConfigAnswer): Uint8Array =>
  writeMessage(ConfigAnswerSchema, {
    ...toWireConfiguration(answer.config ?? {}),
    currentTime: toSeconds(answer.currentTime),
    configurationRequest: answer.configurationRequest ?? false,
  });

export const toWireConfiguration = ({ alarmRules = [], calendars = [], ...others }: DeviceConfiguration) => ({
  ...others,
  rules: alarmRules.map(toWireRule),
  calendars: calendars.map(toWireCalendar),
});
