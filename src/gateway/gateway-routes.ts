/**
 * The CoAP routes for loggers: `m` measurements, `c` configuration reports, `i` device info, `t` time. They
 * decode and authenticate messages and call use cases that do not depend on CoAP.
 */
import type { DeviceReport } from '../devices/config-report.ts';
import { toRuleSlots } from '../devices/device-capabilities.ts';
import { looksLikeKey } from '../keys/api-key.ts';
import type { Frame } from '../measurements/frame.ts';
import type { Intake } from '../measurements/intake.service.ts';
import type { AuthenticateDevice, Identity, RefusalReason } from './authenticate-device.ts';
import type { CoapAnswer } from './coap-message.ts';
import type { CoapCall, CoapRoute } from './coap-server.ts';
import { type ConfigReport, decodeConfigReport, encodeConfigAnswer } from './config-message.ts';
import { createConfigParts } from './config-parts.ts';
import { decodeDeviceInfo, withoutCredentials } from './device-info-message.ts';
import {
  continuousPeriodSeconds,
  decodeMeasurements,
  decodeReadings,
  type MeasurementsMessage,
  omitsZeroSignal,
} from './measurements-message.ts';
import type { Refusal } from './refusal-log.ts';

export interface GatewayRoutesDeps {
  authenticateDevice: AuthenticateDevice;
  intake: Intake;
  onRefused(refusal: Refusal): void;
  now(): Date;
}

const CREATED: CoapAnswer = { code: '2.01' };
const UNAUTHORIZED: CoapAnswer = { code: '4.01' };
const NOT_FOUND: CoapAnswer = { code: '4.04' };

/** Tolerance between clocks: a device repeats old errors with their time. */
const ERROR_SLACK_MS = 60_000;

export function createGatewayRoutes(deps: GatewayRoutesDeps): Record<string, CoapRoute> {
  const { authenticateDevice, intake, now } = deps;
  const parts = createConfigParts();

  function refuse(call: CoapCall, serialNumber: string, reason: RefusalReason): CoapAnswer {
    deps.onRefused({ reason, serialNumber, address: call.address });
    return reason === 'unregistered_serial' ? NOT_FOUND : UNAUTHORIZED;
  }

  function authenticate(
    call: CoapCall,
    { serialNumber, cloudToken }: { serialNumber: string; cloudToken: string | null },
    allowAddressTrust = false,
  ): Promise<Identity> {
    const { tokenOption, address, port } = call;
    return authenticateDevice({ serialNumber, cloudToken, tokenOption, address, port, allowAddressTrust });
  }

  async function measurements(call: CoapCall): Promise<CoapAnswer> {
    const receivedAt = now();
    const message = decodeMeasurements(call.payload);
    const { serialNumber } = message;
    const identity = await authenticate(call, message);
    if (identity.kind === 'refused') return refuse(call, serialNumber, identity.reason);
    const result = await intake.receive(toFrame(message, identity.organizationId, call, receivedAt));
    if (!result) return refuse(call, serialNumber, 'unregistered_serial');
    const { pendingConfig, wantsReport } = result;
    const payload = encodeConfigAnswer({
      ...(pendingConfig && { config: pendingConfig.config }),
      ...((pendingConfig || wantsReport) && { configurationRequest: true }),
      currentTime: now(),
    });
    // It was authenticated by its own token or serial number, never by earlier messages of its address.
    return { code: '2.01', payload, isAddressProven: true };
  }

  async function configuration(call: CoapCall): Promise<CoapAnswer> {
    const receivedAt = now();
    const { payload } = call;
    const part = decodeConfigReport(payload);
    const { serialNumber } = part;
    // Each part is authenticated by itself, so that no other sender adds a part to the report of a device.
    const identity = await authenticate(call, { serialNumber, cloudToken: tokenOfReport(part) }, true);
    if (identity.kind === 'refused') return refuse(call, serialNumber, identity.reason);
    const { organizationId } = identity;
    const report = parts.add({ organizationId, report: part, payload, receivedAt });
    const result = await intake.handle({
      organizationId,
      serialNumber,
      // The other parts come in separate messages, or the device is asked again.
      ...(report && toReportedState(report, receivedAt)),
      // The protocol delivers configurations only in answers to measurements.
      canDeliverConfig: false,
    });
    return result ? CREATED : refuse(call, serialNumber, 'unregistered_serial');
  }

  async function info(call: CoapCall): Promise<CoapAnswer> {
    const message = decodeDeviceInfo(call.payload);
    const { serialNumber } = message;
    const identity = await authenticate(call, message);
    if (identity.kind === 'refused') return refuse(call, serialNumber, identity.reason);
    const { organizationId } = identity;
    const report = { organizationId, info: withoutCredentials(message), receivedAt: now() };
    if (await intake.receiveInfo(report)) return CREATED;
    return refuse(call, serialNumber, 'unregistered_serial');
  }

  return {
    m: { methods: ['POST'], handle: measurements },
    c: { methods: ['POST'], handle: configuration },
    i: { methods: ['POST'], handle: info },
    t: {
      methods: ['GET', 'POST'],
      isIdempotent: true,
      handle: () => ({ code: '2.05', payload: encodeTime(now()) }),
    },
  };
}

/** The answer to `t`: unix seconds in 4 bytes, big-endian (NB-IoT-sensors-integration, class Time). */
export function encodeTime(at: Date): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Math.floor(at.getTime() / 1000) >>> 0);
  return bytes;
}

function toFrame(
  message: MeasurementsMessage,
  organizationId: string,
  { confirmable }: CoapCall,
  receivedAt: Date,
): Frame {
  return {
    organizationId,
    serialNumber: message.serialNumber,
    readings: decodeReadings(message),
    batteryStatus: message.batteryOk ? 'ok' : 'low',
    signal: message.signal ?? (omitsZeroSignal(message) ? 'omitted' : null),
    configHash: message.configurationHash,
    nextTransmissionAt: message.nextTransmissionAt,
    measurementPeriodSeconds: continuousPeriodSeconds(message) || null,
    channelTypes: message.channels.length > 0 ? message.channels.map(({ type }) => type) : null,
    receivedAt,
    canDeliverConfig: confirmable,
  };
}

function toReportedState(report: ConfigReport, receivedAt: Date) {
  const { channelTypes, config } = report;
  return {
    report: toDeviceReport(report, receivedAt),
    observed: {
      // A device that has not found its sensors yet reports type 0 for every channel.
      channelTypes: channelTypes.some((type) => type !== 0) ? channelTypes : null,
      ruleSlots: config.alarmRules ? toRuleSlots(config.alarmRules.length) : null,
      isReported: true,
    },
  };
}

function toDeviceReport(report: ConfigReport, receivedAt: Date): DeviceReport {
  const { configurationErrors, configurationErrorsAt } = report;
  const items = configurationErrors.map((code) => ({
    id: String(code),
    message: `configuration error ${code}, a code of the maker of the logger`,
  }));
  return {
    config: report.config,
    hash: report.configurationHash,
    receivedAt,
    madeAt: receivedAt,
    errors: items.length > 0 ? { items, at: configurationErrorsAt, slackMs: ERROR_SLACK_MS } : null,
  };
}

const SENT_IN_FIELD = 1;

/**
 * The credential in a configuration report. Field 24 holds the token that the logger has stored, field 23
 * whether it sends one: 1 in a field, 2 the IMEI in its place, 255 none (Efento proto_config.proto). A stored
 * text that is not sent is a setting like any other, mostly zeros or the token of another cloud: then the
 * report counts as one without a token.
 */
function tokenOfReport({
  cloudToken,
  cloudTokenConfig,
}: Pick<ConfigReport, 'cloudToken' | 'cloudTokenConfig'>): string | null {
  if (cloudToken === null || (cloudTokenConfig ?? SENT_IN_FIELD) !== SENT_IN_FIELD) return null;
  return looksLikeKey(cloudToken) ? cloudToken : null;
}
