/**
 * The way of a frame, whatever the transport: stored, then acknowledged, with what waits for the device. Frames are
 * group-committed: many devices, one transaction of a constant number of statements, and the answer is given when it is
 * durable. Readings are unique by asset, channel and time, so a device may send a frame as often as it likes.
 *
 * Configurations are the business of the contacts with devices; they are only asked when a change has to be counted as
 * fetched, which happens once per change and device.
 */
import type { Sql } from '../db/database.ts';
import { isMissingPartition, isUnavailable, isUniqueViolationOf } from '../db/faults.ts';
import { createGroupCommit } from '../db/group-commit.ts';
import { MEASUREMENTS, type PartitionKeeper } from '../db/partitions.ts';
import type { InTransaction, Transact } from '../db/transaction.ts';
import { withFrameTypes } from '../devices/channel-layout.ts';
import type { DeviceConfiguration } from '../devices/configuration.ts';
import { type ConfigurationContents, contentOf } from '../devices/configuration-id.ts';
import type { ConfigurationRefs } from '../devices/configurations.repository.ts';
import type { ObservedCapabilities, OfferedChange } from '../devices/device.ts';
import { isPlausibleTime } from '../devices/device-clock.ts';
import {
  expectedIntervalSeconds,
  fetch,
  monitoredConfig,
  offered,
  withContents,
} from '../devices/device-sync.ts';
import { type SerialInOrganization, serialKeyOf } from '../devices/serial-number.ts';
import { AppError } from '../process/errors.ts';
import { createDeviceFrames, type FrameResult } from './device-frame-fold.ts';
import type { Frame } from './frame.ts';
import type { ConfigState, LockedDevice, MeasurementsRepository } from './measurements.repository.ts';
import type { StoredFrame } from './stored-frame.ts';

export interface IntakeResult {
  /** Readings that were new, known already, and of no plausible time. */
  accepted: number;
  duplicates: number;
  dropped: number;
  /** What the device takes along: it counts as fetched. */
  pendingConfig: OfferedChange | null;
  /** What the device runs is not what it reported last, or it never reported: it should be asked. */
  wantsReport: boolean;
}

export interface IntakeDeps {
  transact: Transact;
  measurementsIn(sql: Sql): Pick<MeasurementsRepository, 'lockBySerial' | 'store'>;
  configurationsIn(sql: Sql): {
    find(refs: Iterable<ConfigurationRefs>): Promise<ConfigurationContents>;
  };
  unregisteredIn(sql: Sql): { record(contactCount: SerialInOrganization[]): Promise<void> };
  partitions: PartitionKeeper;
  /** In the transaction of the readings: whatever follows from them is there with them, or not at all. */
  evaluate(tx: InTransaction, taken: StoredFrame[]): Promise<void>;
  /** What a frame says that concerns the configuration of its device. */
  contact(contact: ConfigContact): Promise<{ pendingConfig: OfferedChange | null } | null>;
  observe(counts: Pick<IntakeResult, 'accepted' | 'duplicates' | 'dropped'>): void;
}

export interface Intake {
  /** Null when the organization has no active device of that serial; the sighting is noted for the operator. */
  receive(frame: Frame): Promise<IntakeResult | null>;
}

const BATCH_MAX = 500;
const BATCH_READINGS_MAX = 20_000;
const BATCHES_UNDER_WAY = 2;
/** Loggers wait for seconds as it is; a batch of few costs as many statements as one of many. */
const GATHER = { enough: 32, ms: 4 };
const WAITING_MAX = 20_000;

/** What the transaction knows of a frame when it is durable. */
interface FrameOutcome {
  result: IntakeResult;
  /** Null when nobody has to be told: nearly always. */
  news: ConfigNews | null;
}

interface ConfigNews {
  /** Another hash than any known. */
  observedHash?: number;
  /** The first look at the channels of the device. */
  observed?: ObservedCapabilities;
  /** The device takes what waits for it, which has to be counted as fetched. */
  canDeliverConfig: boolean;
}

type ConfigContact = SerialInOrganization & ConfigNews;

export function createIntake(deps: IntakeDeps): Intake {
  const group = createGroupCommit<Frame, FrameOutcome | null>({
    commit: (frames) => commitFrames(deps, frames),
    maxItems: BATCH_MAX,
    weight: { of: ({ readings }) => readings.length, max: BATCH_READINGS_MAX },
    concurrency: BATCHES_UNDER_WAY,
    gather: GATHER,
    maxWaiting: WAITING_MAX,
    overloaded: () =>
      new AppError('unavailable', 'Too many devices send at once', { headers: { 'Retry-After': '5' } }),
  });
  return {
    async receive(frame) {
      const taken = await group.submit(frame);
      if (!taken) return null;
      deps.observe(taken.result);
      if (!taken.news) return taken.result;
      return { ...taken.result, pendingConfig: await tell(deps, frame, taken.news) };
    },
  };
}

/** The readings are durable: that the change cannot be handed out now is no reason to send them again. */
async function tell(
  { contact }: IntakeDeps,
  { organizationId, serialNumber }: Frame,
  news: ConfigNews,
): Promise<OfferedChange | null> {
  try {
    const answer = await contact({ organizationId, serialNumber, ...news });
    return answer?.pendingConfig ?? null;
  } catch (error) {
    if (isUnavailable(error) || isOverload(error)) return null;
    throw error;
  }
}

const isOverload = (error: unknown) => error instanceof AppError && error.kind === 'unavailable';

async function commitFrames(deps: IntakeDeps, frames: Frame[]): Promise<Array<FrameOutcome | null>> {
  await deps.partitions.ensure(timesOf(frames));
  try {
    return await storeFrames(deps, frames, 'no newer');
  } catch (error) {
    // Another process dropped a month that was known here, or a state knows of less than is stored: one that was
    // restored, or that another version of this service left as it was. The second time nothing of that is believed.
    if (!isMissingPartition(error) && !isUniqueViolationOf(error, MEASUREMENTS.name)) throw error;
    deps.partitions.forget();
    await deps.partitions.ensure(timesOf(frames));
    return storeFrames(deps, frames, 'all');
  }
}

/** Which readings may be stored already: those no newer than the state of their device knows of, or all. */
type DuplicateCheck = 'no newer' | 'all';

function* timesOf(frames: Frame[]): Generator<Date> {
  for (const { readings, receivedAt } of frames) {
    for (const { measuredAt } of readings) if (isPlausibleTime(measuredAt, receivedAt)) yield measuredAt;
  }
}

function storeFrames(
  deps: IntakeDeps,
  frames: Frame[],
  doubt: DuplicateCheck,
): Promise<Array<FrameOutcome | null>> {
  return deps.transact(async ({ sql }) => {
    const measurements = deps.measurementsIn(sql);
    const bySerial = new Map(frames.map((frame) => [serialKeyOf(frame), frame]));
    const devices = await measurements.lockBySerial([...bySerial.values()]);
    const contents = await deps.configurationsIn(sql).find(devices.map(neededConfigs));
    const courses = new Map(devices.map((device) => [serialKeyOf(device.asset), courseOf(device, contents)]));
    const all = frames.map((frame) => courses.get(serialKeyOf(frame))?.take(frame) ?? null);
    const steps = all.filter((step) => step !== null);
    const states = new Map([...courses.values()].map(({ device, state }) => [device.asset.assetId, state()]));
    const sent = steps.map((step) => toReadingBatch(step, doubt));
    markDuplicates(steps, await measurements.store(sent, states));
    await deps.evaluate({ sql }, steps.map(toStoredFrame));
    await deps.unregisteredIn(sql).record(frames.filter((frame) => !courses.has(serialKeyOf(frame))));
    return all.map((step) => step && toFrameOutcome(step, contents));
  });
}

/** What it runs, and what waits for it. */
const neededConfigs = ({ asset, config: { sync } }: LockedDevice): ConfigurationRefs => ({
  organizationId: asset.organizationId,
  configIds: [sync.reported?.config ?? null, sync.confirmed, sync.pending?.config ?? null],
});

interface LockedFrameResult {
  step: FrameResult;
  device: LockedDevice;
  rules: DeviceConfiguration | null;
  /** Readings that were stored before, by their position in `readings`. */
  known: Set<number>;
}

function courseOf(device: LockedDevice, contents: ConfigurationContents) {
  const sync = withContents(device.config.sync, contents);
  const rules = monitoredConfig(sync);
  const course = createDeviceFrames(device.state, device.asset.layout);
  return {
    device,
    state: course.state,
    take(frame: Frame): LockedFrameResult {
      // The answer to the frame carries the change, if it can.
      const after = frame.canDeliverConfig ? fetch(sync, frame.receivedAt) : sync;
      return { step: course.take(frame, expectedIntervalSeconds(after)), device, rules, known: new Set() };
    },
  };
}

/** Compared with what was stored before the batch: what is repeated within it, its course has left out. */
const toReadingBatch = ({ device, step }: LockedFrameResult, doubt: DuplicateCheck) => ({
  organizationId: device.asset.organizationId,
  assetId: device.asset.assetId,
  receivedAt: step.frame.receivedAt,
  readings: step.readings,
  latestMeasuredAt: doubt === 'all' ? null : device.state.latestMeasuredAt,
});

/** The positions count through the readings of all steps. */
function markDuplicates(steps: LockedFrameResult[], positions: number[]): void {
  const known = new Set(positions);
  let position = 0;
  for (const each of known.size > 0 ? steps : []) {
    each.step.readings.forEach((_, index) => {
      if (known.has(position++)) each.known.add(index);
    });
  }
}

function toStoredFrame({ device, rules, step, known }: LockedFrameResult): StoredFrame {
  const { frame, readings, before, state } = step;
  return {
    asset: device.asset,
    frame,
    fresh: known.size === 0 ? readings : readings.filter((_, index) => !known.has(index)),
    state,
    cameOnline: before.status === 'offline',
    rules,
    rulesId: monitoredConfig(device.config.sync),
  };
}

function toFrameOutcome(
  { device: { config }, step, known }: LockedFrameResult,
  contents: ConfigurationContents,
): FrameOutcome {
  const { frame, readings, repeated, dropped } = step;
  const offer = frame.canDeliverConfig ? offered(config.sync) : null;
  const isFetched = config.sync.pending?.fetchedAt != null;
  return {
    result: {
      accepted: readings.length - known.size,
      duplicates: repeated + known.size,
      dropped,
      pendingConfig: offer && isFetched ? { ...offer, config: contentOf(contents, offer.config) } : null,
      wantsReport: frame.configHash !== null && frame.configHash !== config.reportedHash,
    },
    news: newsOf(step, config, offer !== null && !isFetched),
  };
}

const showsMore = (observed: number[], { channelTypes, areChannelsReported }: ConfigState): boolean =>
  !areChannelsReported && withFrameTypes(channelTypes, observed).join() !== channelTypes?.join();

/** What is asked for together with a change comes by the way of the change: one that is fetched already is in no news. */
function newsOf(
  { frame, channelTypes }: FrameResult,
  config: ConfigState,
  mustFetch: boolean,
): ConfigNews | null {
  const { configHash: hash } = frame;
  const isNewHash =
    hash !== null && config.reportedHash !== null && hash !== (config.observedHash ?? config.reportedHash);
  const isNewLayout = channelTypes !== null && showsMore(channelTypes, config);
  if (!isNewHash && !isNewLayout && !mustFetch) return null;
  return {
    ...(isNewHash && { observedHash: hash }),
    ...(isNewLayout && { observed: { channelTypes, ruleSlots: null, isReported: false } }),
    canDeliverConfig: frame.canDeliverConfig,
  };
}
