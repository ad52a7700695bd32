/** Messages as a logger writes and reads them: what the gateway decodes is encoded, and the other way round. */
import {
  type ConfigAnswer,
  type ConfigReport,
  toConfiguration,
  toWireConfiguration,
} from '../../src/gateway/config-message.ts';
import { type DeviceInfo, NO_MILLIVOLTS, PARAMETERS } from '../../src/gateway/device-info-message.ts';
import {
  ConfigAnswerSchema,
  ConfigReportSchema,
  DeviceInfoSchema,
  MeasurementsSchema,
} from '../../src/gateway/generated/logger-messages_pb.ts';
import type { MeasurementsMessage } from '../../src/gateway/measurements-message.ts';
import { readMessage, toSeconds, toTime, writeMessage } from '../../src/gateway/wire-format.ts';

export const encodeMeasurements = ({
  serialNumber,
  batteryOk,
  nextTransmissionAt,
  cloudToken,
  ...others
}: MeasurementsMessage): Uint8Array =>
  writeMessage(MeasurementsSchema, {
    ...withoutZeros(others),
    serialNumber: toSerialBytes(serialNumber),
    batteryStatus: batteryOk,
    nextTransmissionAt: toSeconds(nextTransmissionAt),
    cloudToken: toTextBytes(cloudToken),
  });

/** A report without any field. */
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

export const encodeConfigReport = ({
  serialNumber,
  config,
  configurationErrorsAt,
  cloudToken,
  ...others
}: ConfigReport): Uint8Array =>
  writeMessage(ConfigReportSchema, {
    ...toWireConfiguration(config),
    ...withoutZeros(others),
    serialNumber: toSerialBytes(serialNumber),
    configurationErrorTimestamp: toSeconds(configurationErrorsAt),
    cloudToken: toTextBytes(cloudToken),
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

export const encodeDeviceInfo = (info: DeviceInfo): Uint8Array =>
  writeMessage(DeviceInfoSchema, {
    serialNumber: toSerialBytes(info.serialNumber),
    softwareVersion: toVersionNumber(info.softwareVersion),
    runtimeInfo: withoutZeros({ batteryVoltage: info.batteryMillivolts ?? NO_MILLIVOLTS }),
    modem: info.modem ? { parameters: toParameters(info.modem) } : undefined,
    cloudToken: toTextBytes(info.cloudToken),
  });

/** 06.10 is 1546 = 0x060A. */
function toVersionNumber(text: string | null): number {
  const [major = 0, minor = 0] = (text ?? '').split('.').map(Number);
  return (major << 8) | minor;
}

/** The number that the BC660 sends. */
const PARAMETERS_SENT = 21;

function toParameters(modem: NonNullable<DeviceInfo['modem']>): number[] {
  const parameters = Array<number>(PARAMETERS_SENT).fill(-1);
  for (const { name, index, unknown } of PARAMETERS) parameters[index] = modem[name] ?? unknown;
  return parameters;
}

/** A 0 is not sent, as if it were not set. Empty text is sent, because devices send it. */
const withoutZeros = <Message extends object>(message: Message) =>
  Object.fromEntries(Object.entries(message).filter(([, value]) => value)) as {
    [Name in keyof Message]?: NonNullable<Message[Name]>;
  };

const toTextBytes = (text: string | null): Uint8Array | undefined =>
  text === null ? undefined : Buffer.from(text);

const toSerialBytes = (serialNumber: string): Uint8Array => Buffer.from(serialNumber, 'hex');
