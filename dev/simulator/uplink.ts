/** A device's way to the service, whatever carries it. */
import type { ConfigAnswer, ConfigReport } from '../../src/gateway/config-message.ts';
import type { DeviceInfo } from '../../src/gateway/device-info-message.ts';
import type { MeasurementsMessage } from '../../src/gateway/measurements-message.ts';

export interface Uplink {
  /** Whether every message is answered, confirmable or not. */
  readonly answersAll: boolean;
  /** What the service says; null where it says nothing. Rejects with `Unanswered` or what the network threw. */
  measurements(message: MeasurementsMessage, confirmable: boolean): Promise<ConfigAnswer | null>;
  report(report: ConfigReport, options: ReportOptions): Promise<ConfigAnswer | null>;
  info(info: DeviceInfo, confirmable: boolean): Promise<ConfigAnswer | null>;
}

export interface ReportOptions {
  confirmable: boolean;
  parts: 1 | 2 | 3;
}

/** No answer, or one that is no success. */
export class Unanswered extends Error {
  /** For the count of errors: `4.04`, `503`, `no answer`. */
  readonly kind: string;
  constructor(kind: string) {
    super(`The service did not take a message: ${kind}`);
    this.name = 'Unanswered';
    this.kind = kind;
  }
}

export const NO_ANSWER = 'no answer';
