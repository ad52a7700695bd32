/**
 * Every message of a device about its configuration, whatever the transport: it brings a report, fetches what is pending,
 * or both. Messages are group-committed: those of many devices in one transaction, answered once it is durable.
 */
import type { BatchTransact, BatchTransaction } from '../db/batch-transaction.ts';
import type { Sql } from '../db/database.ts';
import type { Publish } from '../db/domain-event.ts';
import {
  type BatchSlots,
  createLockingCommit,
  LOCKED,
  type Locking,
  type LockingCommitObservers,
  type RefusedTurn,
} from '../db/locking-commit.ts';
import type { InTransaction } from '../db/transaction.ts';
import { cameOnline } from '../presence/presence.ts';
import type { PresenceChange } from '../presence/presence-columns.ts';
import { AppError } from '../process/errors.ts';
import type { Tracing } from '../process/tracing.ts';
import type { AssetRef } from './asset-ref.ts';
import {
  exchangeEvents,
  type SettledTarget,
  type SettledTargets,
  type TargetOutcome,
  targetOutcomes,
} from './config-events.ts';
import { type ConfigurationKey, type DeviceConfiguration, keysOf } from './configuration.ts';
import {
  type ContactingDevices,
  DEVICE_IS_LOCKED,
  type Device,
  isPresencesTaken,
  withObserved,
} from './device.ts';
import { capabilitiesKey } from './device-capabilities.ts';
import {
  createExchangeFold,
  type DeviceExchange,
  type ExchangeOutcome,
  type ExchangeResult,
  mergeRecompiled,
} from './device-exchange.ts';
import { type SerialInOrganization, serialKeyOf } from './serial-number.ts';

export interface ExchangeTargets {
  /** The keys are those that are still pending. */
  confirm(devices: Array<AssetRef & { pendingKeys: ConfigurationKey[] }>): Promise<SettledTarget[]>;
  fail(failures: Array<AssetRef & { reason: string }>): Promise<SettledTarget[]>;
  markSent(devices: AssetRef[]): Promise<void>;
  reoffer(devices: AssetRef[]): Promise<void>;
}

export interface DeviceExchangesDeps {
  transact: BatchTransact;
  devicesIn(sql: Sql): {
    lockBySerial(serials: SerialInOrganization[], locking: Locking): Promise<ContactingDevices>;
    update(devices: Device[], presences: PresenceChange[], locking: Locking): Promise<void>;
  };
  slots: BatchSlots;
  observers?: LockingCommitObservers;
  /** Null: no traces. */
  tracing?: Pick<Tracing, 'batches'> | null;
  targetsIn(sql: Sql): ExchangeTargets;
  unregisteredIn(sql: Sql): {
    record(contacts: SerialInOrganization[]): Promise<void>;
  };
  /**
   * For devices whose capabilities have changed: their configuration compiled anew, from what is pending or what they
   * run, and with it the changes of their targets. A device without an entry keeps what it has.
   */
  recompile(sql: Sql, devices: Device[]): Promise<Map<string, DeviceConfiguration>>;
  /** Other alert rules apply to these devices from now on. */
  onAlertRulesChanged(tx: InTransaction, devices: AssetRef[]): Promise<void>;
  onCameOnline(tx: InTransaction, devices: AssetRef[]): Promise<void>;
  recordOutcomes(outcomes: TargetOutcome[]): void;
  onRefused(reason: RefusedTurn): void;
  publish: Publish;
  now(): Date;
}

export interface DeviceExchanges {
  /** Null when the organization has no active device of that serial; the contact is then recorded for the operator. */
  handle(exchange: DeviceExchange): Promise<ExchangeResult | null>;
}

const BATCH_MAX = 500;

type Handled = ExchangeResult | null | typeof LOCKED;
type Folds = Map<string, ReturnType<typeof createExchangeFold>>;

export function createDeviceExchanges(deps: DeviceExchangesDeps): DeviceExchanges {
  const group = createLockingCommit<DeviceExchange, ExchangeResult | null>({
    commit: (exchanges, locking) => commitExchanges(deps, exchanges, locking),
    laneOf: ({ organizationId }) => organizationId,
    keyOf: serialKeyOf,
    slots: deps.slots,
    observers: deps.observers,
    traces: deps.tracing?.batches('batch of reports', serialKeyOf),
    maxItems: BATCH_MAX,
    overloaded: () =>
      new AppError('unavailable', 'Too many devices report at once', { headers: { 'Retry-After': '5' } }),
    locked: () => new AppError('unavailable', DEVICE_IS_LOCKED, { headers: { 'Retry-After': '5' } }),
    onRefused: deps.onRefused,
  });
  return { handle: (exchange) => group.submit(exchange) };
}

/** A device whose presence stays locked leaves the batch, like one that is locked itself. */
async function commitExchanges(
  deps: DeviceExchangesDeps,
  exchanges: DeviceExchange[],
  locking: Locking,
): Promise<Handled[]> {
  const folds: Folds = new Map();
  try {
    return await deps.transact((tx) => handleExchanges(deps, tx, { exchanges, locking, folds }));
  } catch (error) {
    if (locking === 'wait' || !isPresencesTaken(error)) throw error;
    const { assetIds } = error;
    const isTaken = (exchange: DeviceExchange) =>
      assetIds.has(folds.get(serialKeyOf(exchange))?.assetId as string);
    const free = exchanges.filter((exchange) => !isTaken(exchange));
    const results = free.length > 0 ? await commitExchanges(deps, free, locking) : [];
    return exchanges.map((exchange) => (isTaken(exchange) ? LOCKED : (results.shift() as Handled)));
  }
}

interface ExchangeBatch {
  exchanges: DeviceExchange[];
  locking: Locking;
  /** By serial; filled here. */
  folds: Folds;
}

async function handleExchanges(
  deps: DeviceExchangesDeps,
  tx: BatchTransaction,
  { exchanges, locking, folds }: ExchangeBatch,
): Promise<Handled[]> {
  const { sql, afterCommit } = tx;
  folds.clear();
  const { lockedKeys, now } = await lockDevices(deps, sql, { exchanges, locking, folds });
  const results = exchanges.map((exchange): Handled => {
    const key = serialKeyOf(exchange);
    return folds.get(key)?.apply(exchange) ?? (lockedKeys.has(key) ? LOCKED : null);
  });
  const outcomes = [...folds.values()].map((fold) => fold.outcome());
  const changed = outcomes.filter(({ hasChanged }) => hasChanged);
  const presences = outcomes.map(({ presence }) => presence).filter(({ before, after }) => after !== before);
  await deps.devicesIn(sql).update(
    changed.map(({ device }) => device),
    presences,
    locking,
  );
  await deps.onCameOnline(
    tx,
    presences.filter(({ before, after }) => cameOnline(before, after)),
  );
  const settled = await updateTargets(deps.targetsIn(sql), changed);
  await deps.publish(tx, exchangeEvents(changed, settled, now));
  await deps.onAlertRulesChanged(tx, devicesWhere(changed, 'hasOtherAlertRules'));
  await deps.unregisteredIn(sql).record(exchanges.filter((_, index) => results[index] === null));
  afterCommit(() => deps.recordOutcomes(targetOutcomes(changed, settled)));
  return results;
}

/**
 * Fills the folds, and answers with the keys of devices that are locked elsewhere and the time of the locks. Capabilities come first: a report is
 * evaluated against what the device should run with them.
 */
async function lockDevices(
  deps: DeviceExchangesDeps,
  sql: Sql,
  { exchanges, locking, folds }: ExchangeBatch,
): Promise<{ lockedKeys: Set<string>; now: Date }> {
  const serials = new Map(exchanges.map((exchange) => [serialKeyOf(exchange), exchange]));
  const { devices, unavailable } = await deps.devicesIn(sql).lockBySerial([...serials.values()], locking);
  const observed = withObservations(devices, exchanges);
  const recompiled = await recompileChanged(deps, sql, devices, observed);
  const now = deps.now();
  devices.forEach((before, index) => {
    const device = observed[index] as Device;
    const config = recompiled.get(device.assetId);
    folds.set(
      serialKeyOf(before),
      createExchangeFold(before, config ? mergeRecompiled(device, config) : device, now),
    );
  });
  return { lockedKeys: new Set(unavailable.map(serialKeyOf)), now };
}

function withObservations(devices: Device[], exchanges: DeviceExchange[]): Device[] {
  const bySerial = new Map(devices.map((device) => [serialKeyOf(device), device]));
  for (const exchange of exchanges) {
    const device = bySerial.get(serialKeyOf(exchange));
    if (device && exchange.observed) {
      bySerial.set(serialKeyOf(exchange), withObserved(device, exchange.observed));
    }
  }
  return devices.map((device) => bySerial.get(serialKeyOf(device)) as Device);
}

async function recompileChanged(
  { recompile }: DeviceExchangesDeps,
  sql: Sql,
  before: Device[],
  observed: Device[],
): Promise<Map<string, DeviceConfiguration>> {
  const keyOf = ({ capabilities }: Device) => capabilitiesKey(capabilities);
  const changed = observed.filter((device, index) => {
    const known = before[index] as Device;
    return device !== known && keyOf(device) !== keyOf(known);
  });
  return changed.length > 0 ? recompile(sql, changed) : new Map();
}

/** Failures first: within a batch a refusal can be followed by a confirmation, not the reverse. */
async function updateTargets(targets: ExchangeTargets, outcomes: ExchangeOutcome[]): Promise<SettledTargets> {
  const failed = await targets.fail(
    outcomes.flatMap(({ device, rejection }) =>
      rejection === null ? [] : [{ ...refOf(device), reason: rejection }],
    ),
  );
  const applied = await targets.confirm(
    outcomes
      .filter(({ wasConfirmed }) => wasConfirmed)
      .map(({ device }) => ({ ...refOf(device), pendingKeys: keysOf(device.sync.pending?.config ?? {}) })),
  );
  await targets.markSent(
    outcomes.filter(({ openState }) => openState === 'sent').map(({ device }) => device),
  );
  await targets.reoffer(
    outcomes.filter(({ openState }) => openState === 'waiting').map(({ device }) => device),
  );
  return { failed, applied };
}

const refOf = ({ organizationId, assetId }: AssetRef): AssetRef => ({ organizationId, assetId });

const devicesWhere = (outcomes: ExchangeOutcome[], flag: 'wasConfirmed' | 'hasOtherAlertRules'): AssetRef[] =>
  outcomes.filter((outcome) => outcome[flag]).map(({ device }) => device);
