/** A report as it comes over HTTP, read as the sync rules want it. */
import type { DeviceConfiguration } from './configuration.ts';
import { plausibleTimeOr } from './device-clock.ts';
import type { DeviceReport } from './device-sync.ts';

export interface ReportBody extends DeviceConfiguration {
  configHash?: number;
  errors?: Array<{ code?: number; message: string }>;
  reportedAt?: Date;
}

export function deviceReportOf(sent: ReportBody, receivedAt: Date): DeviceReport {
  const { configHash = null, errors = [], reportedAt, ...config } = sent;
  const madeAt = plausibleTimeOr(receivedAt, reportedAt);
  const messages = errors.map(({ code, message }) =>
    code === undefined ? message : `${message} (code ${code})`,
  );
  return {
    config,
    hash: configHash,
    receivedAt,
    madeAt,
    errors: messages.length > 0 ? { messages, madeAt, slackMs: 0 } : null,
  };
}
