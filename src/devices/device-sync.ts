/**
 * How the service and one device come to agree on a configuration: a pure state machine. Every way in (HTTP, CoAP,
 * apply, cancel, new hardware) goes through these transitions, so the rules stand here and nowhere else.
 *
 * A change is offered until the device confirms it. The only proof is a report: one made after the device fetched the
 * change that contradicts none of it, or one that carries every key of it. A report that contradicts a fetched change
 * means that the answer got lost on the way: it is offered again, and refused for good in the third such round.
 */
import {
  type ConfigurationKey,
  contradictions,
  type DeviceConfiguration,
  includes,
  intervalsOf,
  keysOf,
  longestInterval,
  merged,
  without,
} from './configuration.ts';
import { type ConfigurationContents, contentOf } from './configuration-id.ts';

export type SyncStatus = 'no_device_report' | 'pending' | 'sent' | 'failed' | 'applied' | 'drifted';

export interface PendingChange {
  config: DeviceConfiguration;
  /** When the device took this revision; null while it is only offered. */
  fetchedAt: Date | null;
  /** Rounds of fetch and contradiction so far. */
  contradictions: number;
  /** Why the device refused; a failed change is offered no more. */
  failure: string | null;
}

export interface DeviceSync {
  /** What the device runs, as far as its reports tell; the hash is the device's own number for it. */
  reported: { config: DeviceConfiguration; at: Date; hash: number | null } | null;
  /** What the device agreed to last; reports that differ from it are drift. */
  confirmed: DeviceConfiguration | null;
  /** Grows with every change of what is pending; the number that a device sees. */
  revision: number;
  pending: PendingChange | null;
  /** The device's own number for its configuration, as its frames showed it last; null when none has since the report. */
  observedHash: number | null;
}

export interface DeviceReport {
  config: DeviceConfiguration;
  hash: number | null;
  receivedAt: Date;
  /** When the device made it: its own time, or the arrival. */
  madeAt: Date;
  /** What it could not take, in words; `madeAt` is when that happened, with the slack that the transport needs. */
  errors: { messages: string[]; madeAt: Date; slackMs: number } | null;
}

export type ReportOutcome =
  | { kind: 'confirmed' }
  | { kind: 'rejected'; reason: string }
  /** Offered again: the device does not run what it fetched. */
  | { kind: 'reoffered' }
  | { kind: 'recorded' };

export const CONTRADICTIONS_MAX = 3;
const REASON_LENGTH_MAX = 500;

export const NEW_DEVICE: DeviceSync = {
  reported: null,
  confirmed: null,
  revision: 0,
  pending: null,
  observedHash: null,
};

export function syncStatus(sync: DeviceSync): SyncStatus {
  const { reported, confirmed, pending } = sync;
  if (reported === null) return 'no_device_report';
  if (pending?.failure != null) return 'failed';
  if (pending) return pending.fetchedAt ? 'sent' : 'pending';
  const hasDrifted = confirmed !== null && contradictions(reported.config, confirmed).length > 0;
  return hasDrifted || hasUnreportedChange(sync) ? 'drifted' : 'applied';
}

/** The device shows another hash than it reported: its configuration has changed, and is yet to be told. */
export function hasUnreportedChange({ reported, observedHash }: DeviceSync): boolean {
  return (
    observedHash !== null && reported !== null && reported.hash !== null && observedHash !== reported.hash
  );
}

/** A frame shows which configuration the device runs, by its number alone. */
export function observeHash(sync: DeviceSync, hash: number): DeviceSync {
  return sync.observedHash === hash ? sync : { ...sync, observedHash: hash };
}

/**
 * What the questions below need to know of a device. Its configurations stand here by value, or by id: batches of frames
 * and of changes know ids, and ask the same questions.
 */
export interface SyncState<Config> {
  reported: { config: Config } | null;
  confirmed: Config | null;
  revision: number;
  pending: { config: Config; fetchedAt: Date | null; failure: string | null } | null;
}

/** The same state with its configurations by value. */
export function withContents(
  { reported, confirmed, revision, pending }: SyncState<string>,
  contents: ConfigurationContents,
): SyncState<DeviceConfiguration> {
  return {
    reported: reported && { config: contentOf(contents, reported.config) },
    confirmed: confirmed === null ? null : contentOf(contents, confirmed),
    revision,
    pending: pending && { ...pending, config: contentOf(contents, pending.config) },
  };
}

/** The configuration whose alert rules apply: what the device confirmed, and until then what is pending for it. */
export function monitoredConfig<Config>({
  confirmed,
  pending,
}: {
  confirmed: Config | null;
  pending: { config: Config } | null;
}): Config | null {
  return confirmed ?? pending?.config ?? null;
}

/** `monitoredConfig` in SQL: the id of that configuration, by the columns of device_configs. */
export const MONITORED_CONFIG_ID = 'coalesce(confirmed_config_id, pending_config_id)';

/** The change that a device gets when it asks now: null when nothing is pending, or the device refused it. */
export function offered<Config>({
  pending,
  revision,
}: Pick<SyncState<Config>, 'pending' | 'revision'>): { revision: number; config: Config } | null {
  return pending && pending.failure === null ? { revision, config: pending.config } : null;
}

/** Seconds between transmissions: by what the device runs, or by the change that it fetched, whichever is longer. */
export function expectedIntervalSeconds({
  reported,
  confirmed,
  pending,
}: SyncState<DeviceConfiguration>): number | null {
  const mayRunPending = pending?.fetchedAt != null && pending.failure === null;
  return longestInterval(reported?.config ?? confirmed, mayRunPending ? pending.config : null);
}

/** The change joins what is pending; the device has to fetch the result anew. */
export function merge(sync: DeviceSync, change: DeviceConfiguration): DeviceSync {
  return withPending(sync, merged(sync.pending?.config ?? null, change));
}

/** The keys leave what is pending; what they had replaced does not come back. */
export function withdraw(sync: DeviceSync, keys: readonly ConfigurationKey[]): DeviceSync {
  if (!sync.pending) return sync;
  return withPending(sync, without(sync.pending.config, keys));
}

/** New hardware has to take all that the old one ran and all that waited for it. */
export function replaceHardware(sync: DeviceSync): DeviceSync {
  const wanted = sync.pending ? merged(sync.confirmed, sync.pending.config) : sync.confirmed;
  return withPending(sync, wanted);
}

function withPending(sync: DeviceSync, config: DeviceConfiguration | null): DeviceSync {
  if (config === null || keysOf(config).length === 0) return { ...sync, pending: null };
  const pending = { config, fetchedAt: null, contradictions: 0, failure: null };
  return { ...sync, pending, revision: sync.revision + 1 };
}

/** The device took what is offered. The first fetch counts: it may have acted on any of them. */
export function fetch<State extends SyncState<unknown>>(sync: State, at: Date): State {
  if (!sync.pending || sync.pending.failure !== null || sync.pending.fetchedAt) return sync;
  return { ...sync, pending: { ...sync.pending, fetchedAt: at } };
}

export function receiveReport(
  sync: DeviceSync,
  report: DeviceReport,
): { sync: DeviceSync; outcome: ReportOutcome } {
  const outcome = evaluateReport(sync, report);
  const known = isEmptyReport(report) ? observedBy(sync, report) : recorded(sync, report);
  return { sync: TRANSITIONS[outcome.kind](known, report, outcome), outcome };
}

/** A message that names no setting may carry errors and a hash; what runs on the device it leaves open. */
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
  if (pending.failure === null && errors && isNew(errors.madeAt, errors.slackMs)) {
    return { kind: 'rejected', reason: cut(`the device refused: ${errors.messages.join('; ')}`) };
  }
  if (isEmptyReport(report)) return { kind: 'recorded' };
  if (includes(report.config, pending.config)) return { kind: 'confirmed' };
  if (pending.failure !== null || !isNew(report.madeAt)) return { kind: 'recorded' };
  const differing = contradictions(report.config, pending.config);
  if (differing.length === 0) return { kind: 'confirmed' };
  if (pending.contradictions + 1 < CONTRADICTIONS_MAX) return { kind: 'reoffered' };
  return { kind: 'rejected', reason: cut(`the device keeps other values: ${differing.join(', ')}`) };
}

const cut = (reason: string) =>
  reason.length > REASON_LENGTH_MAX ? `${reason.slice(0, REASON_LENGTH_MAX - 1)}…` : reason;

/**
 * A report may be partial: what it does not name stays as it was known. The first word on a key is what the device is
 * held to from then on, until it confirms a change of it.
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
  confirmed: (sync, { config, hash, receivedAt }) => {
    const change = sync.pending?.config ?? {};
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
      // All that it is known to run counts as agreed to: a confirmation ends in `applied`, whatever had drifted before.
      confirmed: merged(sync.confirmed, merged(change, known)),
      pending: null,
    };
  },
  rejected: (sync, _report, outcome) => ({
    ...sync,
    pending: sync.pending && {
      ...sync.pending,
      contradictions: 0,
      failure: outcome.kind === 'rejected' ? outcome.reason : null,
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
