/**
 * Takes in every message of a device, whatever the transport: frames, reports of its configuration, requests for a pending
 * change, device info. Messages are group-committed: many devices share one transaction, and the answer is given when it is
 * durable. A message and everything that follows from it are committed together, also the delivery of a change in the
 * answer to a frame.
 *
 * Messages of one device are committed one by one, in the order of their arrival. Readings are unique by asset, channel
 * and time, so a device may send a frame as often as it likes.
 */
import {
  type BatchSlots,
  createLockingCommit,
  type LockingCommitObservers,
  type LockingCommitOptions,
  type RefusedTurn,
} from '../db/locking-commit.ts';
import { DEVICE_IS_LOCKED, type DeviceInfoReport } from '../devices/device.ts';
import type { DeviceExchanges } from '../devices/device-exchange.ts';
import { serialKeyOf } from '../devices/serial-number.ts';
import { AppError, unavailable } from '../process/errors.ts';
import type { Tracing } from '../process/tracing.ts';
import {
  type DeviceMessage,
  type IntakeResult,
  type MessageResult,
  toInfoMessage,
} from './device-message.ts';
import type { Frame } from './frame.ts';

interface IntakeDeps {
  /** An error refuses the message alone. */
  commit: LockingCommitOptions<DeviceMessage, MessageResult | AppError | null>['commit'];
  slots: BatchSlots;
  observers?: LockingCommitObservers;
  /** Null: no traces. */
  tracing?: Pick<Tracing, 'batches'> | null;
  onRefused?(reason: RefusedTurn): void;
  observe(counts: Pick<IntakeResult, 'accepted' | 'duplicates' | 'conflicts' | 'dropped'>): void;
}

export interface Intake extends DeviceExchanges {
  /**
   * Null when the organization has no active device with that serial; the contact is recorded for the
   * operator.
   * @throws AppError also when the readings contradict each other
   */
  receive(frame: Frame): Promise<IntakeResult | null>;
  /** False when the organization has no active device of that serial. */
  receiveInfo(report: DeviceInfoReport): Promise<boolean>;
}

const BATCH_MAX = 500;
const BATCH_READINGS_MAX = 20_000;
/** Loggers wait for seconds anyway, and a small batch takes as many statements as a large one. */
const GATHER = { enough: 32, ms: 4 };
/** Fewer frames can join a batch of a single organization. */
const GATHER_OF_ONE = { enough: 32, ms: 20 };

export function createIntake({ commit, slots, observers, tracing, onRefused, observe }: IntakeDeps): Intake {
  const group = createLockingCommit<DeviceMessage, MessageResult | AppError | null>({
    commit,
    laneOf: ({ organizationId }) => organizationId,
    keyOf: serialKeyOf,
    // In separate batches, against deadlocks: an exchange may wait for a job that stores the same configuration, while the
    // job waits for states of devices that frames have locked.
    kindOf: ({ exchange }) => (exchange ? 'exchange' : 'frame'),
    slots,
    observers,
    traces: tracing?.batches('batch of messages', serialKeyOf),
    maxItems: BATCH_MAX,
    weight: { of: ({ frame }) => frame?.readings.length ?? 1, max: BATCH_READINGS_MAX },
    gather: slots.isMixed ? GATHER : GATHER_OF_ONE,
    overloaded: () => unavailable('Too many messages wait at present', 5),
    locked: () => unavailable(DEVICE_IS_LOCKED, 5),
    ...(onRefused && { onRefused }),
  });

  async function submit(message: DeviceMessage): Promise<MessageResult | null> {
    const result = await group.submit(message);
    if (result instanceof AppError) throw result;
    return result;
  }

  return {
    async receive(frame) {
      const { organizationId, serialNumber } = frame;
      const result = (await submit({ organizationId, serialNumber, frame }))?.frame ?? null;
      if (result) observe(result);
      return result;
    },
    async handle(exchange) {
      const { organizationId, serialNumber } = exchange;
      return (await submit({ organizationId, serialNumber, exchange }))?.exchange ?? null;
    },
    async receiveInfo(report) {
      return (await submit(toInfoMessage(report))) !== null;
    },
  };
}
