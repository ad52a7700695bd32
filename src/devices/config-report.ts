/** A device's report of its configuration: what it confirms of a pending change, refuses of it, or contradicts. */

import { maskKeys } from '../keys/api-key.ts';
import { cutText } from '../process/cut-text.ts';
import {
  contradictions,
  type DeviceConfiguration,
  includes,
  intervalsOf,
  keysOf,
  merged,
  without,
} from './configuration.ts';
import { plausibleTimeOr } from './device-clock.ts';
import {
  type DeviceSync,
  observeHash,
  offeredPart,
  type PendingChange,
  refusalWithout,
} from './device-sync.ts';

export interface DeviceReport {
  config: DeviceConfiguration;
  /** The device's own number for its configuration. */
  hash: number | null;
  receivedAt: Date;
  /** When the device made it: its own time, or the arrival. */
  madeAt: Date;
  /** Why it refused settings; `madeAt` is when that happened, with the slack that the transport needs. */
  errors: { messages: string[]; madeAt: Date; slackMs: number } | null;
}

export type ReportOutcome =
  /** All that is pending, or all of it that the device did not refuse. */
  | { kind: 'confirmed'; change: DeviceConfiguration }
  | { kind: 'rejected'; reason: string }
  /** Offered again: the device does not run what it fetched. */
  | { kind: 'reoffered' }
  | { kind: 'recorded' };

/** A report as it comes over HTTP. */
export interface ReportBody extends DeviceConfiguration {
  configHash?: number;
  errors?: Array<{ code?: number; message: string }>;
  reportedAt?: Date;
}

export const CONTRADICTIONS_MAX = 3;
const REASON_LENGTH_MAX = 500;

export function toDeviceReport(body: ReportBody, receivedAt: Date): DeviceReport {
  const { configHash = null, errors = [], reportedAt, ...config } = body;
  const madeAt = plausibleTimeOr(receivedAt, reportedAt);
  const messages = errors.map(({ code, message }) => {
    const text = maskKeys(message);
    return code === undefined ? text : `${text} (code ${code})`;
  });
  return {
    config,
    hash: configHash,
    receivedAt,
    madeAt,
    errors: messages.length > 0 ? { messages, madeAt, slackMs: 0 } : null,
  };
}

export function receiveReport(
  sync: DeviceSync,
  report: DeviceReport,
): { sync: DeviceSync; outcome: ReportOutcome } {
  const outcome = evaluateReport(sync, report);
  const known = isEmptyReport(report) ? observedBy(sync, report) : recorded(sync, report);
  return { sync: TRANSITIONS[outcome.kind](known, report, outcome), outcome };
}

/** A message that names no setting may carry errors and a hash; what the device runs it leaves open. */
const isEmptyReport = ({ config }: DeviceReport) => keysOf(config).length === 0;

const observedBy = (sync: DeviceSync, { hash }: DeviceReport) =>
  hash === null ? sync : observeHash(sync, hash);

function evaluateReport({ pending }: DeviceSync, report: DeviceReport): ReportOutcome {
  if (!pending) return { kind: 'recorded' };
  // What came in before the fetch is no answer to it, however far ahead the clock of the device runs.
  const isNew = (madeAt: Date, slackMs = 0) =>
    pending.fetchedAt !== null &&
    Math.min(madeAt.getTime(), report.receivedAt.getTime()) >= pending.fetchedAt.getTime() - slackMs;
  const { errors } = report;
  const offer = offeredPart(pending);
  if (offer && errors && isNew(errors.madeAt, errors.slackMs)) {
    return { kind: 'rejected', reason: cut(`the device refused: ${errors.messages.join('; ')}`) };
  }
  if (isEmptyReport(report)) return { kind: 'recorded' };
  if (includes(report.config, pending.config)) return { kind: 'confirmed', change: pending.config };
  if (!offer) return { kind: 'recorded' };
  if (includes(report.config, offer)) return { kind: 'confirmed', change: offer };
  if (!isNew(report.madeAt)) return { kind: 'recorded' };
  const differing = contradictions(report.config, offer);
  if (differing.length === 0) return { kind: 'confirmed', change: offer };
  if (pending.contradictions + 1 < CONTRADICTIONS_MAX) return { kind: 'reoffered' };
  return { kind: 'rejected', reason: cut(`the device keeps other values: ${differing.join(', ')}`) };
}

const cut = (reason: string) => cutText(reason, REASON_LENGTH_MAX, '…');

/**
 * A report may be partial: settings that it does not name stay as they were known. The first value reported for a setting
 * counts as confirmed, until the device confirms a change of it.
 */
function recorded(sync: DeviceSync, { config, hash, receivedAt }: DeviceReport): DeviceSync {
  return {
    ...sync,
    reported: { config: merged(sync.reported?.config ?? null, config), at: receivedAt, hash },
    confirmed: merged(config, sync.confirmed ?? {}),
    observedHash: hash,
  };
}

type Transition = (sync: DeviceSync, report: DeviceReport, outcome: ReportOutcome) => DeviceSync;

const TRANSITIONS: Record<ReportOutcome['kind'], Transition> = {
  confirmed: (sync, { config, hash, receivedAt }, outcome) => {
    const change = outcome.kind === 'confirmed' ? outcome.change : {};
    // Keys of the change that the report leaves out are known to be replaced, but not reported: forget the old values.
    // Intervals are never unknown once they were known: there the new ones stand for the report.
    const replaced = merged(
      sync.reported && without(sync.reported.config, keysOf(change)),
      intervalsOf(change),
    );
    const known = merged(replaced, config);
    return {
      ...sync,
      reported: { config: known, at: receivedAt, hash },
      // All that it is known to run counts as confirmed: a confirmation ends in `applied`, whatever had drifted before.
      confirmed: merged(sync.confirmed, merged(change, known)),
      pending: sync.pending && unconfirmed(sync.pending, change),
    };
  },
  rejected: (sync, _report, outcome) => ({
    ...sync,
    pending: sync.pending && {
      ...sync.pending,
      contradictions: 0,
      refusal:
        outcome.kind === 'rejected'
          ? { keys: keysOf(sync.pending.config), reason: outcome.reason }
          : sync.pending.refusal,
    },
  }),
  reoffered: (sync) => ({
    ...sync,
    pending: sync.pending && {
      ...sync.pending,
      fetchedAt: null,
      contradictions: sync.pending.contradictions + 1,
    },
  }),
  recorded: (sync) => sync,
};

/** What the device had refused of a change whose rest it confirmed. Nobody fetches it, so it needs no new revision. */
function unconfirmed(
  { config, refusal }: PendingChange,
  confirmed: DeviceConfiguration,
): PendingChange | null {
  const keys = keysOf(confirmed);
  const left = without(config, keys);
  return left && { config: left, fetchedAt: null, contradictions: 0, refusal: refusalWithout(refusal, keys) };
}
