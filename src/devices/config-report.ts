/** A device's report of its configuration, which confirms, refuses or contradicts a pending change. */
import { cutText } from '../process/cut-text.ts';
import { maskKeys } from '../process/mask-keys.ts';
import {
  type ConfigurationKey,
  contradictions,
  type DeviceConfiguration,
  includes,
  intervalsOf,
  keysOf,
  merged,
  mergedReport,
  without,
  withoutTerms,
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
  /** When the device made the report: its own time, or the arrival. */
  madeAt: Date;
  errors: ReportedErrors | null;
}

/** Errors by which a device refused settings, now or earlier. */
interface ReportedErrors {
  /** At least one; see `KnownErrors` for the ids. */
  items: Array<{ id: string; message: string }>;
  /** Time of the latest error by the clock of the device; null: not sent. */
  at: Date | null;
  /** Tolerance between clocks. */
  slackMs: number;
}

type ReportOutcome =
  /** The whole pending change, or the part that the device did not refuse. */
  | { kind: 'confirmed'; change: DeviceConfiguration }
  | { kind: 'rejected'; reason: string }
  /** Offered again: the device does not run the change that it fetched. */
  | { kind: 'reoffered' }
  | { kind: 'recorded' };

/** A report over HTTP. */
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
  const items = errors.map(({ code, message }) => {
    const text = maskKeys(message);
    return code === undefined
      ? { id: text, message: text }
      : { id: String(code), message: `${text} (code ${code})` };
  });
  return {
    config,
    hash: configHash,
    receivedAt,
    madeAt,
    errors: items.length > 0 ? { items, at: null, slackMs: 0 } : null,
  };
}

export function receiveReport(
  sync: DeviceSync,
  report: DeviceReport,
): { sync: DeviceSync; outcome: ReportOutcome } {
  const outcome = evaluateReport(sync, report);
  const known = isEmptyReport(report) ? observedBy(sync, report) : recorded(sync, report);
  const after = afterOutcome(known, report, outcome);
  return { sync: withKnownErrors(sync, after, report, outcome), outcome };
}

const runs = ({ config }: DeviceReport, part: DeviceConfiguration) => includes(config, withoutTerms(part));

/** A message that names no setting may carry errors and a hash, and does not show the configuration of the device. */
const isEmptyReport = ({ config }: DeviceReport) => keysOf(config).length === 0;

const observedBy = (sync: DeviceSync, { hash }: DeviceReport) =>
  hash === null ? sync : observeHash(sync, hash);

function evaluateReport(sync: DeviceSync, report: DeviceReport): ReportOutcome {
  const { pending } = sync;
  if (!pending) return { kind: 'recorded' };
  const offer = offeredPart(pending);
  const errors = offer ? newErrors(sync, offer, report) : [];
  if (errors.length > 0) return { kind: 'rejected', reason: cut(`the device refused: ${errors.join('; ')}`) };
  if (isEmptyReport(report)) return { kind: 'recorded' };
  if (runs(report, pending.config)) return { kind: 'confirmed', change: pending.config };
  if (!offer) return { kind: 'recorded' };
  if (runs(report, offer)) return { kind: 'confirmed', change: offer };
  if (!isAfterFetch(pending, report, report.madeAt)) return { kind: 'recorded' };
  const differing = contradictions(report.config, withoutTerms(offer));
  if (differing.length === 0) return { kind: 'confirmed', change: offer };
  if (pending.contradictions + 1 < CONTRADICTIONS_MAX) return { kind: 'reoffered' };
  return { kind: 'rejected', reason: cut(`the device keeps other values: ${differing.join(', ')}`) };
}

/** A message that arrived before the fetch is no answer to it, however fast the clock of the device is. */
const isAfterFetch = ({ fetchedAt }: PendingChange, { receivedAt }: DeviceReport, at: Date, slackMs = 0) =>
  fetchedAt !== null && Math.min(at.getTime(), receivedAt.getTime()) >= fetchedAt.getTime() - slackMs;

/**
 * The messages of errors that answer the change: errors that the device did not report before it fetched the
 * change, that happened again since, or by which it refuses the same change again. A device that runs the
 * whole change repeats earlier errors, except for errors of a new kind.
 */
function newErrors(
  { pending, knownErrors }: DeviceSync,
  offer: DeviceConfiguration,
  report: DeviceReport,
): string[] {
  const { errors } = report;
  if (!pending || !errors) return [];
  if (!isAfterFetch(pending, report, errors.at ?? report.madeAt, errors.slackMs)) return [];
  const unknown = errors.items.filter(({ id }) => !knownErrors?.ids.includes(id));
  const hasHappenedAgain = errors.at !== null && errors.at.getTime() !== knownErrors?.at?.getTime();
  const refusesAgain = keysOf(offer).some((key) => knownErrors?.refusedKeys.includes(key));
  const isAnswer = (hasHappenedAgain || refusesAgain) && !runs(report, offer);
  if (unknown.length === 0 && !isAnswer) return [];
  return (unknown.length > 0 ? unknown : errors.items).map(({ message }) => message);
}

/** Errors in a report made after the fetch may answer the offer, so they do not count as known. */
function withKnownErrors(
  before: DeviceSync,
  sync: DeviceSync,
  report: DeviceReport,
  outcome: ReportOutcome,
): DeviceSync {
  const { errors } = report;
  const { pending } = sync;
  if (errors === null && (sync.knownErrors === null || isEmptyReport(report))) return sync;
  const isOffered = pending !== null && offeredPart(pending) !== null;
  if (isOffered && isAfterFetch(pending, report, report.madeAt)) return sync;
  if (errors === null) return { ...sync, knownErrors: null };
  const ids = errors.items.map(({ id }) => id);
  return { ...sync, knownErrors: { ids, at: errors.at, refusedKeys: refusedWith(ids, before, outcome) } };
}

function refusedWith(ids: string[], before: DeviceSync, outcome: ReportOutcome): readonly ConfigurationKey[] {
  const { pending, knownErrors } = before;
  if (outcome.kind === 'rejected') return pending ? keysOf(offeredPart(pending) ?? {}) : [];
  if (!knownErrors?.ids.some((id) => ids.includes(id))) return [];
  const confirmed = outcome.kind === 'confirmed' ? outcome.change : {};
  return knownErrors.refusedKeys.filter((key) => confirmed[key] === undefined);
}

const cut = (reason: string) => cutText(reason, REASON_LENGTH_MAX, '…');

/**
 * A report may be partial: settings that it leaves out keep their known values. The first reported value of a
 * setting counts as confirmed, until the device confirms a change of it.
 */
function recorded(sync: DeviceSync, { config, hash, receivedAt }: DeviceReport): DeviceSync {
  return {
    ...sync,
    reported: { config: merged(sync.reported?.config ?? null, config), at: receivedAt, hash },
    confirmed: merged(config, sync.confirmed ?? {}),
    observedHash: hash,
  };
}

function afterOutcome(sync: DeviceSync, report: DeviceReport, outcome: ReportOutcome): DeviceSync {
  const { pending } = sync;
  if (outcome.kind === 'confirmed') return confirmed(sync, report, outcome.change);
  if (outcome.kind === 'recorded' || !pending) return sync;
  if (outcome.kind === 'reoffered')
    return { ...sync, pending: { ...pending, fetchedAt: null, contradictions: pending.contradictions + 1 } };
  const refusal = { keys: keysOf(pending.config), reason: outcome.reason };
  return { ...sync, pending: { ...pending, contradictions: 0, refusal } };
}

function confirmed(
  sync: DeviceSync,
  { config, hash, receivedAt }: DeviceReport,
  change: DeviceConfiguration,
): DeviceSync {
  // Keys of the change that the report leaves out are known to be replaced, but not reported, so their old
  // values are dropped. Intervals are never unknown once they were known: their new values stand for the
  // report.
  const replaced = merged(
    sync.reported && without(sync.reported.config, keysOf(change)),
    intervalsOf(change),
  );
  const known = merged(replaced, config);
  const pending = sync.pending && unconfirmed(sync.pending, change);
  return {
    ...sync,
    reported: { config: known, at: receivedAt, hash },
    // Everything that the device is known to run counts as confirmed: a confirmation ends in `applied`,
    // despite earlier drift.
    confirmed: mergedReport(merged(sync.confirmed, change), known),
    pending,
    isInheriting: sync.isInheriting && pending !== null,
  };
}

/** The refused rest of a change that the device confirmed. It is not fetched, so it needs no new revision. */
function unconfirmed(
  { config, refusal }: PendingChange,
  confirmed: DeviceConfiguration,
): PendingChange | null {
  const keys = keysOf(confirmed);
  const left = without(config, keys);
  return left && { config: left, fetchedAt: null, contradictions: 0, refusal: refusalWithout(refusal, keys) };
}
