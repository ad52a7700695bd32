/** How a device sends its messages to the service, over any transport. */
import type { ConfigAnswer, ConfigReport } from '../../src/gateway/config-message.ts';
import type { DeviceInfo } from '../../src/gateway/device-info-message.ts';
import type { MeasurementsMessage } from '../../src/gateway/measurements-message.ts';

export interface Uplink {
  /** Every message is answered, confirmable or not. */
  readonly answersAll: boolean;
  /** The answer; null if the protocol has none. Rejects with `Unanswered` or an error of the network. */
  measurements(message: MeasurementsMessage, confirmable: boolean): Promise<ConfigAnswer | null>;
  report(report: ConfigReport, options: ReportOptions): Promise<ConfigAnswer | null>;
  info(info: DeviceInfo, confirmable: boolean): Promise<ConfigAnswer | null>;
}

export interface ReportOptions {
  confirmable: boolean;
  parts: 1 | 2 | 3;
}

/** There was no answer, or the answer was an error. */
export class Unanswered extends Error {
  /** Used to count errors: `4.04`, `503`, `no answer`. */
  readonly kind: string;
  constructor(kind: string) {
    super(`The service did not accept a message: ${kind}`);
    this.name = 'Unanswered';
    this.kind = kind;
  }
}

export const NO_ANSWER = 'no answer';
