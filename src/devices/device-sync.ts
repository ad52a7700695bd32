/**
 * How the service and one device come to agree on a configuration: a pure state machine. Every change of a device's sync
 * state is one of these transitions, or one of those on a report (config-report.ts). Apply and cancel change thousands of
 * devices in one statement instead; that set-based twin of `withPending` is in pending-changes.repository.ts, and a test
 * holds the two equal.
 *
 * A change is offered until the device confirms it. The only proof is a report: one made after the device fetched the
 * change that contradicts none of it, or one that carries every key of it. A report that contradicts a fetched change
 * means that the answer got lost on the way: it is offered again, and counts as refused in the third such round.
 *
 * Refused settings stay pending, and are offered again only when a change sets those keys once more: changes of other
 * keys are offered without them.
 */
import {
  CONFIGURATION_KEYS,
  type ConfigurationKey,
  contradictions,
  type DeviceConfiguration,
  keysOf,
  merged,
  mergedReport,
  without,
  withoutTerms,
} from './configuration.ts';

export const SYNC_STATUSES = ['no_device_report', 'pending', 'sent', 'failed', 'applied', 'drifted'] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

/** The refused part of a pending change. */
export interface Refusal {
  /** All of them are pending. */
  keys: readonly ConfigurationKey[];
  /** Reason of the latest refusal. */
  reason: string;
}

export interface PendingChange {
  /** All pending settings, both offered and refused ones. */
  config: DeviceConfiguration;
  /** When the device fetched this revision; null while it is only offered. */
  fetchedAt: Date | null;
  /** Rounds of fetch and contradiction so far. */
  contradictions: number;
  refusal: Refusal | null;
}

export interface DeviceSync {
  /** The running configuration by its reports; the hash is the device's own number for it. */
  reported: { config: DeviceConfiguration; at: Date; hash: number | null } | null;
  /** The configuration that the device confirmed last; reports that differ from it are drift. */
  confirmed: DeviceConfiguration | null;
  /** Grows with every pending change; the number that a device sees. */
  revision: number;
  pending: PendingChange | null;
  /**
   * The device's own number for its configuration in its latest frame; null without a frame since the report.
   */
  observedHash: number | null;
  /**
   * The hardware was replaced, and the new one has yet to confirm the configuration of the old one. Keys that
   * a withdrawal takes out of the pending change then return to the values that the old one had confirmed.
   */
  isInheriting: boolean;
  /** Errors reported before the pending change was fetched, which are no answer to it; null: none. */
  knownErrors: KnownErrors | null;
}

/** Configuration errors of a device, which it may repeat in its reports indefinitely. */
export interface KnownErrors {
  /** A code, or the text of an error without a code. */
  ids: readonly string[];
  /** Time of the latest error, by the clock of the device; null: it sends no time. */
  at: Date | null;
  /**
   * The settings that the device refused with these errors: once they are offered again, the same errors are
   * an answer.
   */
  refusedKeys: readonly ConfigurationKey[];
}

export const NEW_DEVICE: DeviceSync = {
  reported: null,
  confirmed: null,
  revision: 0,
  pending: null,
  observedHash: null,
  isInheriting: false,
  knownErrors: null,
};

/** The configuration whose alert rules apply: the confirmed one, and until a confirmation the pending one. */
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

/** Known settings of a device: pending ones count first, then reported and confirmed ones. */
export const knownSettings = ({
  pending = {},
  reported = {},
  confirmed = {},
}: Partial<Record<'pending' | 'reported' | 'confirmed', DeviceConfiguration | undefined>>) =>
  merged(mergedReport(confirmed, reported), pending);

/** The offered part of a pending change; null when the device refused all of it. */
export function offeredPart({
  config,
  refusal,
}: Pick<PendingChange, 'config' | 'refusal'>): DeviceConfiguration | null {
  return refusal === null ? config : without(config, refusal.keys);
}

/** A pending change in an answer to a device. */
export interface OfferedChange {
  revision: number;
  config: DeviceConfiguration;
}

/** The change that a device gets when it asks now; null when nothing is pending, or the device refused it. */
export function offered({ pending, revision }: DeviceSync): OfferedChange | null {
  const config = pending && offeredPart(pending);
  return config && { revision, config: withoutTerms(config) };
}

/** Seconds between transmissions: the longer interval of the running configuration and the fetched change. */
export function expectedIntervalSeconds({ reported, confirmed, pending }: DeviceSync): number | null {
  const fetched = pending?.fetchedAt != null ? offeredPart(pending) : null;
  const configs = [reported?.config ?? confirmed, fetched];
  const intervals = configs.flatMap((config) => config?.transmissionInterval ?? []);
  return intervals.length > 0 ? Math.max(...intervals) : null;
}

export function syncStatus(sync: DeviceSync): SyncStatus {
  const { reported, pending } = sync;
  if (reported === null) return 'no_device_report';
  if (pending && offeredPart(pending) === null) return 'failed';
  if (pending) return pending.fetchedAt ? 'sent' : 'pending';
  return hasDrifted(sync) ? 'drifted' : 'applied';
}

/** `syncStatus` in SQL, for a device that is offered the change `c` from now on, by the columns of device_configs. */
export const OFFERED_STATUS = `case
    when reported_config_id is null then 'no_device_report'
    when c.id is not null then case when c.is_refused then 'failed' else 'pending' end
    when has_drifted then 'drifted' else 'applied' end`;

/** Whether the device reports something else than it confirmed last; a pending change is checked first. */
export function hasDrifted(sync: DeviceSync): boolean {
  const { reported, confirmed } = sync;
  if (reported === null) return false;
  const contradicts =
    confirmed !== null && contradictions(reported.config, withoutTerms(confirmed)).length > 0;
  return contradicts || hasUnreportedChange(sync);
}

/**
 * Settings that the device has confirmed as part of a change, and that no report has named since. Excludes
 * intervals, whose new values stand for the report.
 */
export function unconfirmedKeys(sync: DeviceSync): ConfigurationKey[] {
  const { reported, confirmed } = sync;
  if (reported === null || confirmed === null || syncStatus(sync) !== 'applied') return [];
  return keysOf(confirmed).filter((key) => reported.config[key] === undefined);
}

/** Whether frames show another hash than the report: the configuration has changed since. */
function hasUnreportedChange({ reported, observedHash }: DeviceSync): boolean {
  return (
    observedHash !== null && reported !== null && reported.hash !== null && observedHash !== reported.hash
  );
}

/** A frame identifies the configuration of the device only by its hash. */
export function observeHash(sync: DeviceSync, hash: number): DeviceSync {
  return sync.observedHash === hash ? sync : { ...sync, observedHash: hash };
}

/** Joins the change to the pending one, also where its keys were refused; the device has to fetch the result again. */
export function merge(sync: DeviceSync, change: DeviceConfiguration): DeviceSync {
  const refusal = refusalWithout(sync.pending?.refusal ?? null, keysOf(change));
  return withPending(sync, merged(sync.pending?.config ?? null, change), refusal);
}

/** The pending change without the keys. `inherited`: confirmed by the replaced hardware; null: it was not replaced. */
export function pendingWithout(
  pending: DeviceConfiguration,
  keys: readonly ConfigurationKey[],
  inherited: DeviceConfiguration | null,
): DeviceConfiguration | null {
  const left = without(pending, keys);
  const back =
    inherited &&
    without(
      inherited,
      CONFIGURATION_KEYS.filter((key) => !keys.includes(key) || !(key in pending)),
    );
  return back ? merged(left, back) : left;
}

export const inheritedBy = <Config>({
  isInheriting,
  confirmed,
}: {
  isInheriting: boolean;
  confirmed: Config | null;
}) => (isInheriting ? confirmed : null);

/**
 * Takes the keys out of the pending change. Values that they had replaced do not return, except for new
 * hardware, and refused keys stay refused. `refusedAgain` stays pending and leaves the offer.
 */
export function withdraw(
  sync: DeviceSync,
  keys: readonly ConfigurationKey[],
  refusedAgain: Refusal | null = null,
): DeviceSync {
  if (!sync.pending) return sync;
  const { config, refusal } = sync.pending;
  return withPending(
    sync,
    pendingWithout(config, keys, inheritedBy(sync)),
    refusalWith(refusalWithout(refusal, keys), refusedAgain),
  );
}

/** Clears the pending change, without restoring anything. */
export const withdrawAll = (sync: DeviceSync): DeviceSync => withPending(sync, null);

/** Combines both, with the reason of the first one. */
function refusalWith(refusal: Refusal | null, more: Refusal | null): Refusal | null {
  if (refusal === null || more === null) return refusal ?? more;
  return {
    ...refusal,
    keys: CONFIGURATION_KEYS.filter((key) => [...refusal.keys, ...more.keys].includes(key)),
  };
}

/** The rest of a refusal without the keys. */
export function refusalWithout(refusal: Refusal | null, keys: readonly ConfigurationKey[]): Refusal | null {
  const left = refusal?.keys.filter((key) => !keys.includes(key)) ?? [];
  return refusal && left.length > 0 ? { ...refusal, keys: left } : null;
}

/** Offers new hardware all settings that the old one had confirmed, and over them the pending ones, none of them refused. */
export function replaceHardware(sync: DeviceSync): DeviceSync {
  const wanted = sync.pending ? merged(sync.confirmed, sync.pending.config) : sync.confirmed;
  return withPending(
    { ...sync, knownErrors: null, isInheriting: keysOf(sync.confirmed ?? {}).length > 0 },
    wanted,
  );
}

/** A pending change has to be fetched again, as a new revision; without a pending change the revision stays. */
export function withPending(
  sync: DeviceSync,
  config: DeviceConfiguration | null,
  refusal: Refusal | null = null,
): DeviceSync {
  if (config === null || keysOf(config).length === 0) return { ...sync, pending: null, isInheriting: false };
  const pending = { config, fetchedAt: null, contradictions: 0, refusal };
  return { ...sync, pending, revision: sync.revision + 1 };
}

/** Records the fetch of the offered change. The first fetch counts: the device may have acted on any of them. */
export function fetch(sync: DeviceSync, at: Date): DeviceSync {
  if (!sync.pending || sync.pending.fetchedAt || offeredPart(sync.pending) === null) return sync;
  return { ...sync, pending: { ...sync.pending, fetchedAt: at } };
}
