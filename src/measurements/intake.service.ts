/**
 * Takes in every message of a device, whatever the transport: frames, reports of its configuration, requests for what is
 * pending, device info. Messages are group-committed: those of many devices share one transaction of a constant number of
 * statements, and the answer is given when it is durable. A message and all that follows from it are committed together,
 * also the delivery of a change in the answer to a frame.
 *
 * Readings are unique by asset, channel and time, so a device may send a frame as often as it likes. Measurements, alerts,
 * presence and configurations each derive their events; the intake publishes them together.
 */
import type { BatchTransact } from '../db/batch-transaction.ts';
import type { Sql } from '../db/database.ts';
import type { DomainEvent, Publish } from '../db/domain-event.ts';
import { isMissingPartition, isUniqueViolationOf } from '../db/faults.ts';
import {
  type BatchSlots,
  createLockingCommit,
  LOCKED,
  type Locking,
  type LockingCommitObservers,
  type RefusedTurn,
} from '../db/locking-commit.ts';
import { MEASUREMENTS, type PartitionKeeper } from '../db/partitions.ts';
import { sentTogether } from '../db/sent-together.ts';
import type { InTransaction } from '../db/transaction.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { DEVICE_IS_LOCKED } from '../devices/device.ts';
import { parseRuleSlots } from '../devices/device-capabilities.ts';
import type { ExchangeBatch } from '../devices/device-exchange.service.ts';
import type {
  DeviceExchange,
  DeviceExchanges,
  ExchangeOutcome,
  ExchangeResult,
} from '../devices/device-exchange.ts';
import type { DeviceInfoRepository } from '../devices/device-info.repository.ts';
import type { DeviceInfoReport } from '../devices/device-info.ts';
import { afterInfoSignal } from '../devices/device-status.ts';
import type { DevicesRepository } from '../devices/devices.repository.ts';
import { type SerialInOrganization, serialKeyOf } from '../devices/serial-number.ts';
import { cameOnline } from '../presence/presence.ts';
import { AppError } from '../process/errors.ts';
import type { Tracing } from '../process/tracing.ts';
import { type DuplicateCheck, mayBeStored, OutdatedDeviceState } from './duplicate-check.ts';
import type { Frame } from './frame.ts';
import type { IntakeDevicesRepository } from './intake-devices.repository.ts';
import { type IntakeResult, toExchange, toIntakeResult } from './intake-result.ts';
import { measurementEvents } from './measurement-events.ts';
import type { MeasurementsRepository } from './measurements.repository.ts';
import type { Reading } from './reading.ts';
import { isKept, receiveFrame } from './receive-frame.ts';
import type { DeviceState, LockedDevice, StoredFrame } from './stored-frame.ts';
import type { StoredReadingsRepository } from './stored-readings.repository.ts';

export interface IntakeDeps {
  transact: BatchTransact;
  statesIn(sql: Sql): IntakeDevicesRepository;
  devicesIn(sql: Sql): Pick<DevicesRepository, 'findBySerial' | 'lockBySerial'>;
  measurementsIn(sql: Sql): Pick<MeasurementsRepository, 'store'>;
  storedReadingsIn(sql: Sql): Pick<StoredReadingsRepository, 'find'>;
  deviceInfoIn(sql: Sql): DeviceInfoRepository;
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
  /** The same for devices that came back without a frame, whose alerts end as well. */
  backWithoutFrame(tx: InTransaction, devices: AssetRef[]): Promise<DomainEvent[]>;
  exchanges: ExchangeBatch;
  /** One statement, sent together with the commit. */
  publish: Publish;
  /** What follows from events of alerts, which it answers with; no statement without one. */
  queueAlerts(tx: InTransaction, events: DomainEvent[]): Promise<DomainEvent[]>;
  onRefused?(reason: RefusedTurn): void;
  observe(counts: Pick<IntakeResult, 'accepted' | 'duplicates' | 'conflicts' | 'dropped'>): void;
}

export interface Intake extends DeviceExchanges {
  /**
   * Null when the organization has no active device of that serial; the contact is recorded for the operator.
   * @throws AppError also when the readings contradict each other
   */
  receive(frame: Frame): Promise<IntakeResult | null>;
  /** False when the organization has no active device of that serial. */
  receiveInfo(report: DeviceInfoReport): Promise<boolean>;
}

interface DeviceMessage extends SerialInOrganization {
  frame?: Frame;
  exchange?: DeviceExchange;
  info?: DeviceInfoReport;
}

const BATCH_MAX = 500;
const BATCH_READINGS_MAX = 20_000;
/** Loggers wait for seconds anyway; a small batch takes as many statements as a large one. */
const GATHER = { enough: 32, ms: 4 };
/** A batch of one organization alone is joined by fewer. */
const GATHER_OF_ONE = { enough: 32, ms: 20 };

interface Answer {
  frame: IntakeResult | null;
  exchange: ExchangeResult | null;
}

/** An error refuses the message alone. */
type Answered = Answer | AppError | null;

export function createIntake(deps: IntakeDeps): Intake {
  const group = createLockingCommit<DeviceMessage, Answered>({
    commit: (messages, locking) => commitMessages(deps, messages, locking),
    laneOf: ({ organizationId }) => organizationId,
    keyOf: serialKeyOf,
    slots: deps.slots,
    observers: deps.observers,
    traces: deps.tracing?.batches('batch of messages', serialKeyOf),
    maxItems: BATCH_MAX,
    weight: { of: ({ frame }) => frame?.readings.length ?? 1, max: BATCH_READINGS_MAX },
    gather: deps.slots.isMixed ? GATHER : GATHER_OF_ONE,
    overloaded: () =>
      new AppError('unavailable', 'Too many devices send at once', { headers: { 'Retry-After': '5' } }),
    locked: () => new AppError('unavailable', DEVICE_IS_LOCKED, { headers: { 'Retry-After': '5' } }),
    ...(deps.onRefused && { onRefused: deps.onRefused }),
  });

  async function submit(message: DeviceMessage): Promise<Answer | null> {
    const answered = await group.submit(message);
    if (answered instanceof AppError) throw answered;
    return answered;
  }

  return {
    async receive(frame) {
      const { organizationId, serialNumber } = frame;
      const answer = await submit({ organizationId, serialNumber, frame });
      if (!answer?.frame) return null;
      deps.observe(answer.frame);
      return answer.frame;
    },
    async handle(exchange) {
      const { organizationId, serialNumber } = exchange;
      return (await submit({ organizationId, serialNumber, exchange }))?.exchange ?? null;
    },
    async receiveInfo(info) {
      return (await submit(toInfoMessage(info))) !== null;
    },
  };
}

function toInfoMessage(info: DeviceInfoReport): DeviceMessage {
  const { organizationId } = info;
  const { serialNumber, softwareVersion } = info.info;
  const ruleSlots = softwareVersion === null ? null : parseRuleSlots(softwareVersion);
  if (ruleSlots === null) return { organizationId, serialNumber, info };
  const observed = { channelTypes: null, ruleSlots, isReported: true };
  const exchange = { organizationId, serialNumber, observed, canDeliverConfig: false };
  return { organizationId, serialNumber, info, exchange };
}

interface BatchOptions {
  locking: Locking;
  check: DuplicateCheck;
}

type Committed = Answered | typeof LOCKED;

async function commitMessages(
  deps: IntakeDeps,
  messages: DeviceMessage[],
  locking: Locking,
): Promise<Committed[]> {
  await deps.partitions.ensure(timesOf(deps, messages));
  try {
    return await storeMessages(deps, messages, { locking, check: 'no newer' });
  } catch (error) {
    // Another process dropped a partition, or a device state restored from a backup is older than the stored readings:
    // the second time partitions are looked up anew, and every reading is compared with what is stored.
    if (!isMissingPartition(error) && !isOutdated(error)) throw error;
    deps.partitions.forget();
    await deps.partitions.ensure(timesOf(deps, messages));
    return storeMessages(deps, messages, { locking, check: 'all' });
  }
}

const isOutdated = (error: unknown) =>
  error instanceof OutdatedDeviceState || isUniqueViolationOf(error, MEASUREMENTS.name);

function* timesOf(
  { retentionMs }: Pick<IntakeDeps, 'retentionMs'>,
  messages: DeviceMessage[],
): Generator<Date> {
  for (const { frame } of messages) {
    if (!frame) continue;
    for (const { measuredAt } of frame.readings)
      if (isKept(measuredAt, frame.receivedAt, retentionMs)) yield measuredAt;
  }
}

/** A message with its device, and what it changes. */
interface Received {
  device: LockedDevice;
  frame: StoredFrame | null;
  exchange: DeviceExchange | null;
  info: DeviceInfoReport | null;
  state: DeviceState;
  outcome: ExchangeOutcome | null;
}

const isReceived = (each: Received | AppError | null | typeof LOCKED): each is Received =>
  each !== null && each !== LOCKED && !(each instanceof AppError);

function storeMessages(
  deps: IntakeDeps,
  messages: DeviceMessage[],
  options: BatchOptions,
): Promise<Committed[]> {
  return deps.transact(async (tx) => {
    const { sql, finishWith } = tx;
    const locked = await lockDevices(deps, sql, messages, options);
    const results = messages.map((message) => receiveMessage(deps, message, locked));
    const received = results.filter(isReceived);
    await exchangeConfigs(deps, sql, received);
    const frames = received.flatMap(({ frame }) => frame ?? []);
    const states = received.filter(({ device, state }) => state !== device.state);
    await deps.measurementsIn(sql).store({ states, frames }, options.check);
    await deps
      .deviceInfoIn(sql)
      .store(received.flatMap(({ device, info }) => (info ? [{ ...info, assetId: device.assetId }] : [])));
    const alertEvents = await deps.evaluateAlerts(tx, frames);
    const online = states.filter(({ device, state }) => cameOnline(device.state.presence, state.presence));
    const onlineEvents = await deps.onlineEvents(
      tx,
      online.filter(({ frame }) => frame).map(({ device }) => device),
    );
    const backEvents = await deps.backWithoutFrame(
      tx,
      online.filter(({ frame }) => !frame).map(({ device }) => device),
    );
    const configEvents = await deps.exchanges.store(
      tx,
      received.flatMap(({ outcome }) => outcome ?? []),
    );
    await deps.unregisteredIn(sql).record(messages.filter((_, index) => results[index] === null));
    const queued = await deps.queueAlerts(tx, [
      ...alertEvents,
      ...onlineEvents,
      ...backEvents,
      ...configEvents,
    ]);
    const events = [...frames.flatMap(measurementEvents), ...queued];
    finishWith(() => deps.publish(tx, events));
    return results.map((each) => (isReceived(each) ? toAnswer(each) : each));
  });
}

const toAnswer = ({ frame, outcome }: Received): Answer => ({
  frame: frame && toIntakeResult(frame, outcome?.result ?? null),
  exchange: outcome?.result ?? null,
});

interface LockedBatch {
  /** By serial. */
  devices: Map<string, LockedDevice>;
  lockedKeys: Set<string>;
  /** By asset. */
  stored: ReadonlyMap<string, ReadonlyMap<number, Reading>>;
}

function receiveMessage(
  { retentionMs }: IntakeDeps,
  message: DeviceMessage,
  { devices, lockedKeys, stored }: LockedBatch,
): Received | AppError | null | typeof LOCKED {
  const key = serialKeyOf(message);
  const device = devices.get(key);
  if (!device) return lockedKeys.has(key) ? LOCKED : null;
  const { exchange = null, info = null } = message;
  try {
    const frame = message.frame
      ? receiveFrame(device, message.frame, { retentionMs, stored: stored.get(device.assetId) })
      : null;
    return {
      device,
      frame,
      exchange: frame ? toExchange(frame) : exchange,
      info,
      state: frame ? frame.state : stateAfterInfo(device, info),
      outcome: null,
    };
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

const stateAfterInfo = ({ state }: LockedDevice, info: DeviceInfoReport | null): DeviceState => {
  const rssiDbm = info?.info.modem?.rssiDbm ?? null;
  return rssiDbm === null ? state : { ...state, ...afterInfoSignal(state, rssiDbm) };
};

/**
 * The configurations of devices that sent a frame are locked only where the frame concerns them, and without waiting: a
 * job that changes many devices never delays frames. Where it holds one, the next frame is answered with the change.
 */
async function exchangeConfigs(deps: IntakeDeps, sql: Sql, received: Received[]): Promise<void> {
  const exchanging = received.filter(({ exchange }) => exchange);
  const framed = exchanging.filter(({ frame }) => frame).map(({ device }) => device);
  const { devices } = await deps.devicesIn(sql).lockBySerial(framed, 'skip');
  const locked = new Map(devices.map((device) => [device.assetId, device]));
  const contacting = exchanging.flatMap((each) => {
    const before = each.frame ? locked.get(each.device.assetId) : each.device;
    return before
      ? [{ each, before, presence: each.state.presence, exchange: each.exchange as DeviceExchange }]
      : [];
  });
  const outcomes = await deps.exchanges.receive(sql, contacting);
  outcomes.forEach((outcome, index) => {
    const { each } = contacting[index] as (typeof contacting)[number];
    each.outcome = outcome;
    if (outcome.presence !== each.state.presence) each.state = { ...each.state, presence: outcome.presence };
  });
}

/**
 * Configurations that messages are about come before states: whoever changes many devices waits in this order, too. All
 * statements are sent together. What is read is read after the locks: the hardware may have been replaced meanwhile, or
 * alert rules, whose open alerts are resolved under the lock of the state.
 */
async function lockDevices(
  deps: IntakeDeps,
  sql: Sql,
  messages: DeviceMessage[],
  { locking, check }: BatchOptions,
): Promise<LockedBatch> {
  const devicesIn = deps.devicesIn(sql);
  const [configs, { states, unavailable }, others] = await sentTogether([
    devicesIn.lockBySerial(
      messages.filter(({ exchange }) => exchange),
      locking,
    ),
    deps.statesIn(sql).lockStates(messages, locking),
    devicesIn.findBySerial(messages.filter(({ exchange }) => !exchange)),
  ]);
  const devices = new Map<string, LockedDevice>();
  for (const device of [...configs.devices, ...others]) {
    const state = states.get(device.assetId);
    if (state) devices.set(serialKeyOf(device), Object.assign(device, state));
  }
  return {
    devices,
    lockedKeys: new Set([...configs.unavailable, ...unavailable].map(serialKeyOf)),
    stored: await findStored(deps, sql, messages, devices, check),
  };
}

function findStored(
  deps: IntakeDeps,
  sql: Sql,
  messages: DeviceMessage[],
  devices: Map<string, LockedDevice>,
  check: DuplicateCheck,
) {
  return deps.storedReadingsIn(sql).find(
    messages.flatMap((message) => {
      const device = devices.get(serialKeyOf(message));
      if (!device || !message.frame) return [];
      const { organizationId, assetId } = device;
      const maybeStored = [...timesOf(deps, [message])].filter((at) => mayBeStored(at, device, check));
      return { organizationId, assetId, times: maybeStored.map((at) => at.getTime()) };
    }),
  );
}
