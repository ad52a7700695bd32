/**
 * The service's HTTP operations for devices: measurements, the pending configuration, reports. Every request
 * has a response, so every message counts as confirmable. There is no device info: a booting device fetches
 * its change.
 */
import type { DeviceConfiguration } from '../../src/devices/configuration.ts';
import { measurementTypeOf } from '../../src/devices/measurement-type.ts';
import type { ConfigAnswer, ConfigReport } from '../../src/gateway/config-message.ts';
import { decodeReadings, type MeasurementsMessage } from '../../src/gateway/measurements-message.ts';
import type { Copies } from './faults.ts';
import type { ServiceClient } from './service-client.ts';
import { NO_ANSWER, Unanswered, type Uplink } from './uplink.ts';

interface Offer {
  pendingConfig: { revision: number; config: DeviceConfiguration } | null;
  /** Only in answers to measurements. */
  wantsReport?: true;
}

export function createHttpUplink(client: ServiceClient, copies: Copies = () => 1): Uplink {
  async function send(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    let answer: Awaited<ReturnType<ServiceClient['send']>> | null = null;
    try {
      for (let left = copies('out'); left > 0; left--) answer = await client.send(method, path, body);
    } catch {
      throw new Unanswered(NO_ANSWER);
    }
    if (!answer || copies('in') === 0) throw new Unanswered(NO_ANSWER);
    if (answer.status >= 300) throw new Unanswered(String(answer.status));
    return answer.body;
  }
  return {
    answersAll: true,
    async measurements(message) {
      const path = `/devices/${message.serialNumber}/measurements`;
      return answerOf((await send('POST', path, sentMeasurements(message))) as Offer);
    },
    async report(report) {
      const path = `/devices/${report.serialNumber}/config-reports`;
      return answerOf((await send('POST', path, sentReport(report))) as Offer);
    },
    async info({ serialNumber }) {
      const pending = (await send('GET', `/devices/${serialNumber}/pending-config`)) as
        | Offer['pendingConfig']
        | undefined;
      return answerOf({ pendingConfig: pending ?? null });
    },
  };
}

const answerOf = ({ pendingConfig, wantsReport }: Offer): ConfigAnswer => ({
  ...(pendingConfig && { config: pendingConfig.config }),
  ...((pendingConfig || wantsReport) && { configurationRequest: true }),
});

function sentMeasurements(message: MeasurementsMessage): object {
  const { batteryOk, signal, configurationHash, nextTransmissionAt } = message;
  return {
    readings: decodeReadings(message).flatMap(({ channel, type, value, measuredAt }) =>
      // The HTTP API has no value for a failed sensor.
      value === null
        ? []
        : [{ channel, type: measurementTypeOf(type)?.name, value, measuredAt: measuredAt.toISOString() }],
    ),
    batteryStatus: batteryOk ? 'ok' : 'low',
    signal: signal ?? 99,
    configHash: configurationHash ?? undefined,
    nextTransmissionAt: nextTransmissionAt?.toISOString(),
  };
}

/**
 * Leaves out the time of the errors: cut to whole seconds, a refusal could seem older than the refused
 * change.
 */
const sentReport = ({ config, configurationHash, configurationErrors }: ConfigReport) => ({
  ...config,
  configHash: configurationHash ?? undefined,
  ...(configurationErrors.length > 0 && {
    errors: configurationErrors.map((code) => ({ code, message: 'The configuration was refused' })),
  }),
});
