/**
 * The transaction of a batch of messages, one from each device: locks, new states, and everything that follows from them.
 * The number of statements does not grow with the number of messages.
 */
import { MEASUREMENTS } from '../../migrations/partitioned-tables.ts';
import type { BatchTransact } from '../db/batch-transaction.ts';
import type { Sql } from '../db/database.ts';
import type { DomainEvent, Publish } from '../db/domain-event.ts';
import { isMissingPartition, isUniqueViolationOf } from '../db/faults.ts';
import { LOCKED, type Locking } from '../db/locking-commit.ts';
import type { PartitionKeeper } from '../db/partitions.ts';
import { sentTogether } from '../db/query.ts';
import type { InTransaction } from '../db/transaction.ts';
import { type AssetRef, refOf } from '../devices/asset-ref.ts';
import type { ExchangeBatch } from '../devices/device-exchange.service.ts';
import type { ExchangeOutcome } from '../devices/device-exchange.ts';
import type { DevicesRepository } from '../devices/devices.repository.ts';
import { type SerialInOrganization, serialKeyOf } from '../devices/serial-number.ts';
import { AppError } from '../process/errors.ts';
import {
  afterExchange,
  type DeviceMessage,
  isBackOnline,
  type MessageResult,
  type ReceivedMessage,
  receiveMessage,
  toContacting,
  toMessageResult,
} from './device-message.ts';
import {
  type DuplicateCheck,
  isKept,
  type LockedDevice,
  mayBeStored,
  OutdatedDeviceState,
  type ReceivedFrame,
} from './frame.ts';
import { measurementEvents } from './measurement-events.ts';
import type { MeasurementsRepository, StoredByAsset } from './measurements.repository.ts';

export interface MessageBatchDeps {
  transact: BatchTransact;
  devicesIn(sql: Sql): Pick<DevicesRepository, 'findBySerial' | 'lockBySerial' | 'storeInfos'>;
  measurementsIn(sql: Sql): MeasurementsRepository;
  unregisteredIn(sql: Sql): { record(contacts: SerialInOrganization[]): Promise<void> };
  partitions: PartitionKeeper;
  /** Older readings are dropped; default: none are. */
  retentionMs?: number;
  /** Opens and resolves alerts by the readings, and returns their events. */
  evaluateAlerts(tx: InTransaction, frames: ReceivedFrame[]): Promise<DomainEvent[]>;
  onlineEvents(tx: InTransaction, devices: AssetRef[]): Promise<DomainEvent[]>;
  /** The same for devices that came back without a frame, whose alerts end as well. */
  backWithoutFrame(tx: InTransaction, devices: AssetRef[]): Promise<DomainEvent[]>;
  exchanges: ExchangeBatch;
  /** Queues what follows from events of alerts, and answers with all events; no statement without an alert. */
  queueAlerts(tx: InTransaction, events: DomainEvent[]): Promise<DomainEvent[]>;
  /** Takes one statement, sent together with the commit. */
  publish: Publish;
  now(): Date;
}

/** Null: no active device has the serial number. An error refuses the message alone. */
type Answered = MessageResult | AppError | null;

interface BatchOptions {
  locking: Locking;
  check: DuplicateCheck;
}

interface LockedBatch {
  /** By serial. */
  devices: ReadonlyMap<string, LockedDevice>;
  /** Serials of devices that another transaction has locked. */
  lockedKeys: ReadonlySet<string>;
}

/** State before a batch, which its messages are compared with. */
interface KnownBefore {
  locked: LockedBatch;
  stored: StoredByAsset;
  now: Date;
}

export function createMessageBatch(deps: MessageBatchDeps) {
  const { devicesIn, measurementsIn, partitions, retentionMs, exchanges } = deps;

  const storeMessages = (messages: DeviceMessage[], options: BatchOptions) =>
    deps.transact(async (tx) => {
      const locked = await lockDevices(tx.sql, messages, options.locking);
      const stored = await findStored(tx.sql, messages, locked, options.check);
      const now = deps.now();
      const results = messages.map((message) => receive(message, { locked, stored, now }));
      const received = results.filter(isReceived);
      const outcomes = await exchangeConfigs(tx.sql, received);
      const outcomeOf = ({ device }: ReceivedMessage) => outcomes.get(device.assetId);
      const changed = received.map((each) => afterExchange(each, outcomeOf(each)));
      const events = await storeChanges(tx, changed, [...outcomes.values()], options.check);
      await deps.unregisteredIn(tx.sql).record(messages.filter((_, index) => results[index] === null));
      tx.finishWith(() => deps.publish(tx, events));
      return results.map((each) => (isReceived(each) ? toMessageResult(each, outcomeOf(each)) : each));
    });

  /**
   * Locks configurations before states, in the order in which jobs lock them, and no state of a device whose configuration
   * a job holds: the job may wait for it while this transaction waits for the job. Devices are read after the locks: the
   * hardware may have been replaced meanwhile, or alert rules, whose open alerts are resolved under the lock of the state.
   */
  async function lockDevices(sql: Sql, messages: DeviceMessage[], locking: Locking): Promise<LockedBatch> {
    const exchanging = messages.filter(({ exchange }) => exchange);
    const configs = await devicesIn(sql).lockBySerial(exchanging, locking);
    const withoutExchange = messages.filter(({ exchange }) => !exchange);
    const [states, others] = await sentTogether([
      measurementsIn(sql).lockStates([...configs.devices, ...withoutExchange], locking),
      devicesIn(sql).findBySerial(withoutExchange),
    ]);
    const devices = [...configs.devices, ...others].flatMap((device): Array<[string, LockedDevice]> => {
      const state = states.byAsset.get(device.assetId);
      // A spread of this many fields makes a hash table in V8, which is slow and large.
      return state ? [[serialKeyOf(device), Object.assign(device, state)]] : [];
    });
    const unavailable = [...configs.unavailable, ...states.unavailable];
    return { devices: new Map(devices), lockedKeys: new Set(unavailable.map(serialKeyOf)) };
  }

  function findStored(
    sql: Sql,
    messages: DeviceMessage[],
    { devices }: LockedBatch,
    check: DuplicateCheck,
  ): Promise<StoredByAsset> {
    const sent = messages.flatMap((message) => {
      const device = devices.get(serialKeyOf(message));
      if (!device || !message.frame) return [];
      const times = [...timesOf([message])].filter((at) => mayBeStored(at, device, check));
      return { ...refOf(device), times: times.map((at) => at.getTime()) };
    });
    return measurementsIn(sql).findStored(sent);
  }

  function receive(message: DeviceMessage, { locked, stored, now }: KnownBefore) {
    const key = serialKeyOf(message);
    const device = locked.devices.get(key);
    if (!device) return locked.lockedKeys.has(key) ? LOCKED : null;
    try {
      return receiveMessage(device, message, { now, retentionMs, stored: stored.get(device.assetId) });
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  /**
   * The configuration of a device that sent a frame is locked only where the frame concerns it, and without waiting: a job
   * that changes many devices never delays frames. While a job holds it, the change waits for the next frame.
   */
  async function exchangeConfigs(
    sql: Sql,
    received: ReceivedMessage[],
  ): Promise<Map<string, ExchangeOutcome>> {
    const concerned = received.filter(({ exchange }) => exchange);
    const byFrames = concerned.filter(({ frame }) => frame).map(({ device }) => device);
    const { devices } = await devicesIn(sql).lockBySerial(byFrames, 'skip');
    const others = concerned.filter(({ frame }) => !frame).map(({ device }) => device);
    const locked = new Map([...devices, ...others].map((device) => [device.assetId, device]));
    const outcomes = await exchanges.receive(sql, toContacting(concerned, locked));
    return new Map(outcomes.map((outcome) => [outcome.device.assetId, outcome]));
  }

  /** Alerts come after configurations: readings are evaluated by the rules for the channels that their frame shows. */
  async function storeChanges(
    tx: InTransaction,
    changed: ReceivedMessage[],
    outcomes: ExchangeOutcome[],
    check: DuplicateCheck,
  ): Promise<DomainEvent[]> {
    const frames = changed.flatMap(({ frame }) => frame ?? []);
    const states = changed.filter(({ device, state }) => state !== device.state);
    const infos = changed.flatMap(({ device, info }) => (info ? [{ ...info, assetId: device.assetId }] : []));
    const online = states.filter(isBackOnline);
    await measurementsIn(tx.sql).store({ states, frames }, check);
    await devicesIn(tx.sql).storeInfos(infos);
    const events = [
      ...(await exchanges.store(tx, outcomes)),
      ...(await deps.evaluateAlerts(tx, frames)),
      ...(await deps.onlineEvents(tx, refsOf(online.filter(({ frame }) => frame)))),
      ...(await deps.backWithoutFrame(tx, refsOf(online.filter(({ frame }) => !frame)))),
    ];
    return [...frames.flatMap(measurementEvents), ...(await deps.queueAlerts(tx, events))];
  }

  function* timesOf(messages: DeviceMessage[]): Generator<Date> {
    for (const { frame } of messages)
      for (const { measuredAt } of frame?.readings ?? [])
        if (frame && isKept(measuredAt, frame.receivedAt, retentionMs)) yield measuredAt;
  }

  return async (messages: DeviceMessage[], locking: Locking): Promise<Array<Answered | typeof LOCKED>> => {
    await partitions.ensure(timesOf(messages));
    try {
      return await storeMessages(messages, { locking, check: 'no newer' });
    } catch (error) {
      // Another process dropped a partition, or a device state restored from a backup is older than the
      // stored readings: the second attempt looks partitions up again, and compares every reading with the
      // stored ones.
      if (!isMissingPartition(error) && !isOutdated(error)) throw error;
      partitions.forget();
      await partitions.ensure(timesOf(messages));
      return storeMessages(messages, { locking, check: 'all' });
    }
  };
}

const isOutdated = (error: unknown) =>
  error instanceof OutdatedDeviceState || isUniqueViolationOf(error, MEASUREMENTS.name);

const isReceived = (each: ReceivedMessage | AppError | null | typeof LOCKED): each is ReceivedMessage =>
  each !== null && each !== LOCKED && !(each instanceof AppError);

const refsOf = (received: ReceivedMessage[]): AssetRef[] => received.map(({ device }) => refOf(device));
