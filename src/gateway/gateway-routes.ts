/**
 * What loggers may send, and what becomes of it: `m` measurements, `c` configuration, `i` device info, `t` time. The
 * protocol's side of the use cases, which know nothing of CoAP.
 */
import { toRuleSlots } from '../devices/device-capabilities.ts';
import type { DeviceExchanges } from '../devices/device-exchange.service.ts';
import type { DeviceReport } from '../devices/device-sync.ts';
import type { SerialInOrganization } from '../devices/serial-number.ts';
import type { Frame } from '../measurements/frame.ts';
import type { Intake } from '../measurements/intake.service.ts';
import type { Identify, Identity } from './authenticate-device.ts';
import type { CoapAnswer } from './coap-message.ts';
import type { CoapCall, CoapRoute } from './coap-server.ts';
import { type ConfigReport, decodeConfigReport, encodeConfigAnswer } from './config-message.ts';
import { createConfigParts } from './config-parts.ts';
import { readingsOf } from './decode-readings.ts';
import { type DeviceInfo, decodeDeviceInfo } from './device-info-message.ts';
import { decodeMeasurements, type MeasurementsMessage } from './measurements-message.ts';
import { encodeTime } from './time-message.ts';

export interface GatewayRoutesDeps {
  identify: Identify;
  intake: Intake;
  contacts: DeviceExchanges;
  deviceInfo: {
    /** False when the organization has no active device of that serial. */
    receive(told: { organizationId: string; info: DeviceInfo; receivedAt: Date }): Promise<boolean>;
  };
  unknown: {
    record(contactCount: SerialInOrganization[]): Promise<void>;
  };
  refused(refusal: { reason: string; serialNumber: string; address: string }): void;
  now(): Date;
}

type Refused = Extract<Identity, { kind: 'refused' }>;

const CREATED: CoapAnswer = { code: '2.01' };
const UNAUTHORIZED: CoapAnswer = { code: '4.01' };
const NOT_FOUND: CoapAnswer = { code: '4.04' };

/** What a device repeats of an old error is told apart by its time; clocks of loggers are this far off at most. */
const ERROR_SLACK_MS = 60_000;

export function createGatewayRoutes(deps: GatewayRoutesDeps): Record<string, CoapRoute> {
  const { identify, intake, contacts, deviceInfo, now } = deps;
  const parts = createConfigParts();

  function refuse(call: CoapCall, serialNumber: string, reason: Refused['reason']): CoapAnswer {
    deps.refused({ reason, serialNumber, address: call.remoteAddress });
    return reason === 'unknown_serial' ? NOT_FOUND : UNAUTHORIZED;
  }

  function authenticate(
    call: CoapCall,
    { serialNumber, cloudToken }: { serialNumber: string; cloudToken: string | null },
    allowAddressTrust = false,
  ): Promise<Identity> {
    const address = `${call.remoteAddress} ${call.remotePort}`;
    return identify({ serialNumber, cloudToken, tokenOption: call.tokenOption, address, allowAddressTrust });
  }

  async function measurements(call: CoapCall): Promise<CoapAnswer> {
    const receivedAt = now();
    const message = decodeMeasurements(call.payload);
    const identity = await authenticate(call, message);
    if (identity.kind === 'refused') return refuse(call, message.serialNumber, identity.reason);
    const result = await intake.receive(frameOf(message, identity.organizationId, call, receivedAt));
    if (!result) return refuse(call, message.serialNumber, 'unknown_serial');
    const { pendingConfig, wantsReport } = result;
    const payload = encodeConfigAnswer({
      ...(pendingConfig && { config: pendingConfig.config }),
      ...((pendingConfig || wantsReport) && { configurationRequest: true }),
      currentTime: now(),
    });
    return { ...CREATED, payload };
  }

  async function configuration(call: CoapCall): Promise<CoapAnswer> {
    const receivedAt = now();
    const message = decodeConfigReport(call.payload);
    const { serialNumber } = message;
    // Each part says for itself whose it is: none may be put into the report of another one.
    const identity = await authenticate(call, message, true);
    if (identity.kind === 'refused') return refuse(call, serialNumber, identity.reason);
    const { organizationId } = identity;
    const report = parts.add(call.payload, receivedAt, organizationId);
    const result = await contacts.receive({
      organizationId,
      serialNumber,
      // What is missing comes in a message of its own, or the device is asked again.
      ...(report && wholeReport(report, receivedAt)),
      // Configurations travel in answers to measurements alone.
      canDeliverConfig: false,
    });
    return result ? CREATED : refuse(call, serialNumber, 'unknown_serial');
  }

  async function info(call: CoapCall): Promise<CoapAnswer> {
    const told = decodeDeviceInfo(call.payload);
    const identity = await authenticate(call, told);
    if (identity.kind === 'refused') return refuse(call, told.serialNumber, identity.reason);
    const { organizationId } = identity;
    if (await deviceInfo.receive({ organizationId, info: told, receivedAt: now() })) return CREATED;
    await deps.unknown.record([{ organizationId, serialNumber: told.serialNumber }]);
    return refuse(call, told.serialNumber, 'unknown_serial');
  }

  return {
    m: { methods: ['POST'], handle: measurements },
    c: { methods: ['POST'], handle: configuration },
    i: { methods: ['POST'], handle: info },
    t: {
      methods: ['GET', 'POST'],
      handle: () => ({ code: '2.05', payload: encodeTime(now()) }),
    },
  };
}

function frameOf(
  message: MeasurementsMessage,
  organizationId: string,
  { confirmable }: CoapCall,
  receivedAt: Date,
): Frame {
  return {
    organizationId,
    serialNumber: message.serialNumber,
    readings: readingsOf(message),
    batteryStatus: message.batteryOk ? 'ok' : 'low',
    signal: message.signal,
    configHash: message.configurationHash,
    nextTransmissionAt: message.nextTransmissionAt,
    channelTypes: message.channels.length > 0 ? message.channels.map(({ type }) => type) : null,
    receivedAt,
    canDeliverConfig: confirmable,
  };
}

const wholeReport = (report: ConfigReport, receivedAt: Date) => ({
  report: deviceReportOf(report, receivedAt),
  observed: {
    // One that has not found its sensors yet says nothing of them.
    channelTypes: report.channelTypes.some((type) => type !== 0) ? report.channelTypes : null,
    ruleSlots: report.config.alarmRules ? toRuleSlots(report.config.alarmRules.length) : null,
    isReported: true,
  },
});

function deviceReportOf(report: ConfigReport, receivedAt: Date): DeviceReport {
  const { configurationErrors: codes, configurationErrorsAt } = report;
  return {
    config: report.config,
    hash: report.configurationHash,
    receivedAt,
    madeAt: receivedAt,
    errors:
      codes.length > 0
        ? {
            messages: codes.map((code) => `configuration error ${code}`),
            madeAt: configurationErrorsAt ?? receivedAt,
            slackMs: ERROR_SLACK_MS,
          }
        : null,
  };
}
