/**
 * Takes in frames, whatever the transport. Frames are group-committed: many devices, one transaction of a constant number
 * of statements, and the answer is given when it is durable. Readings are unique by asset, channel and time, so a device
 * may send a frame as often as it likes.
 *
 * Measurements, alerts and presence each derive their events; the intake publishes them together.
 */
import type { BatchTransact } from '../db/batch-transaction.ts';
import type { Sql } from '../db/database.ts';
import type { DomainEvent, Publish } from '../db/domain-event.ts';
import { isMissingPartition, isUnavailable, isUniqueViolationOf } from '../db/faults.ts';
import {
  type BatchSlots,
  createLockingCommit,
  LOCKED,
  type Locking,
  type LockingCommitObservers,
  type RefusedTurn,
} from '../db/locking-commit.ts';
import { MEASUREMENTS, type PartitionKeeper } from '../db/partitions.ts';
import type { InTransaction } from '../db/transaction.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import type { ConfigurationContents } from '../devices/configuration-id.ts';
import type { ConfigurationRefs } from '../devices/configurations.repository.ts';
import type { OfferedChange } from '../devices/device.ts';
import { DEVICE_IS_LOCKED } from '../devices/device.ts';
import { withContents } from '../devices/device-sync.ts';
import { type SerialInOrganization, serialKeyOf } from '../devices/serial-number.ts';
import { AppError } from '../process/errors.ts';
import type { Tracing } from '../process/tracing.ts';
import { createDeviceFrames, type DeviceFrames, isKept } from './device-frame-fold.ts';
import { type DuplicateCheck, mayBeStored, OutdatedDeviceState } from './duplicate-check.ts';
import type { Frame } from './frame.ts';
import type { IntakeDevicesRepository } from './intake-devices.repository.ts';
import { type ConfigContact, type IntakeResult, toConfigContact, toIntakeResult } from './intake-result.ts';
import { measurementEvents } from './measurement-events.ts';
import type { MeasurementsRepository } from './measurements.repository.ts';
import type { LockedDevice, StoredFrame } from './stored-frame.ts';
import type { StoredReadingsRepository } from './stored-readings.repository.ts';

export interface IntakeDeps {
  transact: BatchTransact;
  devicesIn(sql: Sql): Pick<IntakeDevicesRepository, 'lockBySerial'>;
  measurementsIn(sql: Sql): Pick<MeasurementsRepository, 'store'>;
  storedReadingsIn(sql: Sql): Pick<StoredReadingsRepository, 'find'>;
  configurationsIn(sql: Sql): {
    find(refs: Iterable<ConfigurationRefs>): Promise<ConfigurationContents>;
  };
  unregisteredIn(sql: Sql): { record(contacts: SerialInOrganization[]): Promise<void> };
  partitions: PartitionKeeper;
  slots: BatchSlots;
  observers?: LockingCommitObservers;
  /** Null: no traces. */
  tracing?: Pick<Tracing, 'batches'> | null;
  /** Older readings are dropped; default: none are. */
  retentionMs?: number;
  /** Opens and resolves alerts by the readings, and answers with their events. */
  evaluateAlerts(tx: InTransaction, frames: StoredFrame[]): Promise<DomainEvent[]>;
  onlineEvents(tx: InTransaction, devices: AssetRef[]): Promise<DomainEvent[]>;
  /** One statement, sent together with the commit. */
  publish: Publish;
  /** What follows from events of alerts, which it answers with; no statement without one. */
  queueAlerts(tx: InTransaction, events: DomainEvent[]): Promise<DomainEvent[]>;
  /** Records what a frame tells of the configuration of its device, and answers with the change that is pending. */
  exchange(contact: ConfigContact): Promise<{ pendingConfig: OfferedChange | null } | null>;
  onRefused?(reason: RefusedTurn): void;
  observe(counts: Pick<IntakeResult, 'accepted' | 'duplicates' | 'conflicts' | 'dropped'>): void;
}

export interface Intake {
  /**
   * Null when the organization has no active device of that serial; the contact is recorded for the operator.
   * @throws AppError also when the readings contradict each other
   */
  receive(frame: Frame): Promise<IntakeResult | null>;
}

const BATCH_MAX = 500;
const BATCH_READINGS_MAX = 20_000;
/** Loggers wait for seconds anyway; a small batch takes as many statements as a large one. */
const GATHER = { enough: 32, ms: 4 };
/** A batch of one organization alone is joined by fewer. */
const GATHER_OF_ONE = { enough: 32, ms: 20 };

/** An error refuses the frame alone. */
type Taken = StoredFrame | AppError | null;
type Stored = Taken | typeof LOCKED;

const isStored = (each: Stored): each is StoredFrame =>
  each !== null && each !== LOCKED && !(each instanceof AppError);

export function createIntake(deps: IntakeDeps): Intake {
  const group = createLockingCommit<Frame, Taken>({
    commit: (frames, locking) => commitFrames(deps, frames, locking),
    laneOf: ({ organizationId }) => organizationId,
    keyOf: serialKeyOf,
    slots: deps.slots,
    observers: deps.observers,
    traces: deps.tracing?.batches('batch of frames', serialKeyOf),
    maxItems: BATCH_MAX,
    weight: { of: ({ readings }) => readings.length, max: BATCH_READINGS_MAX },
    gather: deps.slots.isMixed ? GATHER : GATHER_OF_ONE,
    overloaded: () =>
      new AppError('unavailable', 'Too many devices send at once', { headers: { 'Retry-After': '5' } }),
    locked: () => new AppError('unavailable', DEVICE_IS_LOCKED, { headers: { 'Retry-After': '5' } }),
    ...(deps.onRefused && { onRefused: deps.onRefused }),
  });
  return {
    async receive(frame) {
      const stored = await group.submit(frame);
      if (!stored) return null;
      if (stored instanceof AppError) throw stored;
      const result = toIntakeResult(stored);
      deps.observe(result);
      const contact = toConfigContact(stored);
      if (contact) result.pendingConfig = await fetchPending(deps, contact);
      return result;
    },
  };
}

/** The readings are durable: the device need not send them again because the change cannot be delivered now. */
async function fetchPending({ exchange }: IntakeDeps, contact: ConfigContact): Promise<OfferedChange | null> {
  try {
    return (await exchange(contact))?.pendingConfig ?? null;
  } catch (error) {
    if (isUnavailable(error) || isOverload(error)) return null;
    throw error;
  }
}

const isOverload = (error: unknown) => error instanceof AppError && error.kind === 'unavailable';

async function commitFrames(deps: IntakeDeps, frames: Frame[], locking: Locking): Promise<Stored[]> {
  await deps.partitions.ensure(timesOf(deps, frames));
  try {
    return await storeFrames(deps, frames, { locking, check: 'no newer' });
  } catch (error) {
    // Another process dropped a partition, or a device state restored from a backup is older than the stored readings:
    // the second time partitions are looked up anew, and every reading is compared with what is stored.
    if (!isMissingPartition(error) && !isOutdated(error)) throw error;
    deps.partitions.forget();
    await deps.partitions.ensure(timesOf(deps, frames));
    return storeFrames(deps, frames, { locking, check: 'all' });
  }
}

const isOutdated = (error: unknown) =>
  error instanceof OutdatedDeviceState || isUniqueViolationOf(error, MEASUREMENTS.name);

function* timesOf({ retentionMs }: IntakeDeps, frames: Frame[]): Generator<Date> {
  for (const { readings, receivedAt } of frames) {
    for (const { measuredAt } of readings) if (isKept(measuredAt, receivedAt, retentionMs)) yield measuredAt;
  }
}

function storeFrames(
  deps: IntakeDeps,
  frames: Frame[],
  { locking, check }: { locking: Locking; check: DuplicateCheck },
): Promise<Stored[]> {
  return deps.transact(async (tx) => {
    const { sql, finishWith } = tx;
    const { devices, lockedKeys } = await lockDevices(deps, sql, frames, { locking, check });
    const results = frames.map((frame): Stored => {
      const key = serialKeyOf(frame);
      const device = devices.get(key);
      if (device) return takeOrRefuse(device, frame);
      return lockedKeys.has(key) ? LOCKED : null;
    });
    const stored = results.filter(isStored);
    await deps.measurementsIn(sql).store(stored, check);
    const alertEvents = await deps.evaluateAlerts(tx, stored);
    const backOnline = stored.filter(({ cameOnline }) => cameOnline).map(({ device }) => device);
    const onlineEvents = await deps.onlineEvents(tx, backOnline);
    const queued = await deps.queueAlerts(tx, [...alertEvents, ...onlineEvents]);
    await deps.unregisteredIn(sql).record(frames.filter((_, index) => results[index] === null));
    const events = [...stored.flatMap(measurementEvents), ...queued];
    finishWith(() => deps.publish(tx, events));
    return results;
  });
}

function takeOrRefuse(device: DeviceFrames, frame: Frame): StoredFrame | AppError {
  try {
    return device.take(frame);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** By serial. */
async function lockDevices(
  deps: IntakeDeps,
  sql: Sql,
  frames: Frame[],
  { locking, check }: { locking: Locking; check: DuplicateCheck },
): Promise<{ devices: Map<string, DeviceFrames>; lockedKeys: Set<string> }> {
  const bySerial = new Map<string, Frame[]>();
  for (const frame of frames)
    bySerial.set(serialKeyOf(frame), [...(bySerial.get(serialKeyOf(frame)) ?? []), frame]);
  const first = [...bySerial.values()].map(([frame]) => frame as Frame);
  const { devices, unavailable } = await deps.devicesIn(sql).lockBySerial(first, locking);
  const contents = await deps.configurationsIn(sql).find(devices.map(configRefs));
  const stored = await deps.storedReadingsIn(sql).find(
    devices.map((device) => {
      const times = timesOf(deps, bySerial.get(serialKeyOf(device)) ?? []);
      const maybeStored = [...times].filter((at) => mayBeStored(at, device, check));
      return {
        organizationId: device.organizationId,
        assetId: device.assetId,
        times: maybeStored.map((at) => at.getTime()),
      };
    }),
  );
  const byKey = devices.map((device): [string, DeviceFrames] => [
    serialKeyOf(device),
    createDeviceFrames(device, withContents(device.config.sync, contents), {
      retentionMs: deps.retentionMs,
      stored: stored.get(device.assetId),
    }),
  ]);
  return { devices: new Map(byKey), lockedKeys: new Set(unavailable.map(serialKeyOf)) };
}

function configRefs({ organizationId, config: { sync } }: LockedDevice): ConfigurationRefs {
  const { reported, confirmed, pending } = sync;
  return { organizationId, configIds: [reported?.config ?? null, confirmed, pending?.config ?? null] };
}
