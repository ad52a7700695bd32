/** The loggers' own protocol: CoAP over UDP, protobuf. */
import type { ConfigAnswer } from '../../src/gateway/config-message.ts';
import { type CoapClient, NoAnswer } from './coap-client.ts';
import {
  decodeConfigAnswer,
  encodeConfigReportParts,
  encodeDeviceInfo,
  encodeMeasurements,
} from './logger-messages.ts';
import { NO_ANSWER, Unanswered, type Uplink } from './uplink.ts';

export function createCoapUplink(client: CoapClient): Uplink {
  async function post(path: string, payload: Uint8Array, confirmable: boolean): Promise<ConfigAnswer | null> {
    const answer = await client.send({ path, payload, confirmable }).catch((error: unknown) => {
      throw error instanceof NoAnswer ? new Unanswered(NO_ANSWER) : error;
    });
    if (!answer) return null;
    if (!answer.code.startsWith('2.')) throw new Unanswered(answer.code);
    return decodeConfigAnswer(answer.payload);
  }
  return {
    answersAll: false,
    measurements: (message, confirmable) => post('m', encodeMeasurements(message), confirmable),
    async report(report, { confirmable, parts }) {
      let last: ConfigAnswer | null = null;
      for (const part of encodeConfigReportParts(report, parts)) last = await post('c', part, confirmable);
      return last;
    },
    info: (info, confirmable) => post('i', encodeDeviceInfo(info), confirmable),
  };
}
