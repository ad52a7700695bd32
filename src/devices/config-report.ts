/** A report as it comes over HTTP, read as the sync rules want it. */
import type { DeviceConfiguration } from './configuration.ts';
import type { DeviceReport } from './device-sync.ts';

export interface ReportBody extends DeviceConfiguration {
  configHash?: number;
  errors?: Array<{ code?: number; message: string }>;
  reportedAt?: Date;
}

const EARLIEST_MS = Date.UTC(2015, 0, 1);
const DAY_MS = 86_400_000;

export function deviceReportOf(sent: ReportBody, receivedAt: Date): DeviceReport {
  const { configHash = null, errors = [], reportedAt, ...config } = sent;
  const madeAt = plausibleTime(reportedAt, receivedAt);
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

/** A logger that lost its clock starts in 1970 or anywhere: then the arrival is the better word. */
function plausibleTime(at: Date | undefined, receivedAt: Date): Date {
  if (at === undefined) return receivedAt;
  const isPlausible = at.getTime() >= EARLIEST_MS && at.getTime() <= receivedAt.getTime() + DAY_MS;
  return isPlausible ? at : receivedAt;
}
