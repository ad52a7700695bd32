/** A stub of the gateway as loggers see it, over the real CoAP server and without a database. */
import type { DeviceConfiguration } from '../../../src/devices/configuration.ts';
import { type CoapServer, createCoapServer } from '../../../src/gateway/coap-server.ts';
import {
  type ConfigReport,
  decodeConfigReport,
  encodeConfigAnswer,
} from '../../../src/gateway/config-message.ts';
import { createConfigParts } from '../../../src/gateway/config-parts.ts';
import { decodeDeviceInfo } from '../../../src/gateway/device-info-message.ts';
import { decodeMeasurements, decodeReadings } from '../../../src/gateway/measurements-message.ts';

export interface StubDevice {
  /** `channel@time`, each once. */
  readings: Set<string>;
  report: ConfigReport | null;
  softwareVersion: string | null;
  /** Handled frames and reports, with the token of the last one. */
  handled: number;
  token: string | null;
}

export interface StubGateway {
  coapUrl: string;
  device(serialNumber: string): StubDevice;
  /** Offered with every answer to a frame, to devices that do not report it. */
  offer(config: DeviceConfiguration): void;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';

export async function startStubGateway(isConfirmed: (report: ConfigReport) => boolean): Promise<StubGateway> {
  const devices = new Map<string, StubDevice>();
  const parts = createConfigParts();
  let offered: DeviceConfiguration | null = null;

  function device(serialNumber: string): StubDevice {
    const known = devices.get(serialNumber);
    if (known) return known;
    const fresh = {
      readings: new Set<string>(),
      report: null,
      softwareVersion: null,
      handled: 0,
      token: null,
    };
    devices.set(serialNumber, fresh);
    return fresh;
  }

  const server: CoapServer = await createCoapServer({
    host: HOST,
    port: 0,
    routes: {
      m: {
        methods: ['POST'],
        handle({ payload }) {
          const message = decodeMeasurements(payload);
          const sender = device(message.serialNumber);
          sender.handled++;
          sender.token = message.cloudToken;
          for (const { channel, measuredAt } of decodeReadings(message)) {
            sender.readings.add(`${channel}@${measuredAt.getTime() / 1000}`);
          }
          const { report } = sender;
          const settled = report !== null && (isConfirmed(report) || report.configurationErrors.length > 0);
          const change = offered !== null && !settled ? offered : null;
          const isHashNew = report?.configurationHash !== message.configurationHash;
          const answer = {
            ...(change && { config: change }),
            ...((change !== null || isHashNew) && { configurationRequest: true }),
            currentTime: new Date(),
          };
          return { code: '2.01', payload: encodeConfigAnswer(answer) };
        },
      },
      c: {
        methods: ['POST'],
        handle({ payload, address }) {
          const report = parts.add({
            organizationId: address,
            report: decodeConfigReport(payload),
            payload,
            receivedAt: new Date(),
          });
          if (report) device(report.serialNumber).report = report;
          return { code: '2.01' };
        },
      },
      i: {
        methods: ['POST'],
        handle({ payload }) {
          const info = decodeDeviceInfo(payload);
          device(info.serialNumber).softwareVersion = info.softwareVersion;
          return { code: '2.01' };
        },
      },
    },
  });
  return {
    coapUrl: `coap://${HOST}:${server.port}`,
    device,
    offer: (config) => {
      offered = config;
    },
    stop: () => server.stop(1_000),
  };
}
