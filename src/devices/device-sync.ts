/**
 * How the service and one device come to agree on a configuration: a pure state machine. Every change of a device's sync
 * state is one of these transitions, or one of those on a report (config-report.ts). Apply and cancel change thousands of
 * devices in one statement instead; that set-based twin of `withPending` is in pending-changes.repository.ts, and a test
 * holds the two equal.
 *
 * A change is offered until the device confirms it. The only proof is a report: one made after the device fetched the
 * change that contradicts none of it, or one that carries every key of it. A report that contradicts a fetched change
 * means that the answer got lost on the way: it is offered again, and counts as refused in the third such round.
 */
import {
  type ConfigurationKey,
  contradictions,
  type DeviceConfiguration,
  keysOf,
  longestInterval,
  merged,
  without,
} from './configuration.ts';
import { type ConfigurationContents, contentOf } from './configuration-id.ts';

export const SYNC_STATUSES = ['no_device_report', 'pending', 'sent', 'failed', 'applied', 'drifted'] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

export interface PendingChange {
  config: DeviceConfiguration;
  /** When the device fetched this revision; null while it is only offered. */
  fetchedAt: Date | null;
  /** Rounds of fetch and contradiction so far. */
  contradictions: number;
  /** Why the device refused the change, which is then not offered any more. */
  failure: string | null;
}

export interface DeviceSync {
  /** What the device runs, as far as its reports say; the hash is the device's own number for it. */
  reported: { config: DeviceConfiguration; at: Date; hash: number | null } | null;
  /** What the device confirmed last; reports that differ from it are drift. */
  confirmed: DeviceConfiguration | null;
  /** Grows with every change of what is pending; the number that a device sees. */
  revision: number;
  pending: PendingChange | null;
  /** The device's own number for its configuration in its latest frame; null when no frame came since the report. */
  observedHash: number | null;
}

export const NEW_DEVICE: DeviceSync = {
  reported: null,
  confirmed: null,
  revision: 0,
  pending: null,
  observedHash: null,
};

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

export function syncStatus(sync: DeviceSync): SyncStatus {
  const { reported, confirmed, pending } = sync;
  if (reported === null) return 'no_device_report';
  if (pending?.failure != null) return 'failed';
  if (pending) return pending.fetchedAt ? 'sent' : 'pending';
  const hasDrifted = confirmed !== null && contradictions(reported.config, confirmed).length > 0;
  return hasDrifted || hasUnreportedChange(sync) ? 'drifted' : 'applied';
}

/** Frames show another hash than the device reported: its configuration has changed since. */
export function hasUnreportedChange({ reported, observedHash }: DeviceSync): boolean {
  return (
    observedHash !== null && reported !== null && reported.hash !== null && observedHash !== reported.hash
  );
}

/** A frame names the configuration that the device runs by its hash alone. */
export function observeHash(sync: DeviceSync, hash: number): DeviceSync {
  return sync.observedHash === hash ? sync : { ...sync, observedHash: hash };
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

/** New hardware is offered all that the old one had confirmed, and over it what was pending. */
export function replaceHardware(sync: DeviceSync): DeviceSync {
  const wanted = sync.pending ? merged(sync.confirmed, sync.pending.config) : sync.confirmed;
  return withPending(sync, wanted);
}

/** Whatever becomes pending has to be fetched anew, as a new revision; without anything pending the revision stays. */
export function withPending(sync: DeviceSync, config: DeviceConfiguration | null): DeviceSync {
  if (config === null || keysOf(config).length === 0) return { ...sync, pending: null };
  const pending = { config, fetchedAt: null, contradictions: 0, failure: null };
  return { ...sync, pending, revision: sync.revision + 1 };
}

/** The device fetched what is offered. The first fetch counts: it may have acted on any of them. */
export function fetch<State extends SyncState<unknown>>(sync: State, at: Date): State {
  if (!sync.pending || sync.pending.failure !== null || sync.pending.fetchedAt) return sync;
  return { ...sync, pending: { ...sync.pending, fetchedAt: at } };
}
