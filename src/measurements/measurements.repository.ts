/** The states of devices, and the readings of their frames, as batches of messages lock, compare and store them. */
import { toArrayText } from '../db/array-text.ts';
import type { Sql } from '../db/database.ts';
import type { Locking } from '../db/locking-commit.ts';
import { queryPrepared } from '../db/query.ts';
import { type AssetRef, assetKeys } from '../devices/asset-ref.ts';
import { keyOfReading, type LatestReading, type StoredReading } from '../devices/reading.ts';
import type { SerialInOrganization } from '../devices/serial-number.ts';
import type { Presence } from '../presence/presence.ts';
import { presenceBindings } from '../presence/presence-columns.ts';
import { DAY_MS } from '../process/durations.ts';
import { type AssetBlock, type BlockRow, blockBindings, blockOf, freshHourOf } from './block-columns.ts';
import {
  type DeviceState,
  type DuplicateCheck,
  type LockedState,
  OutdatedDeviceState,
  type ReceivedFrame,
} from './frame.ts';
import { FIND_STORED, lockStates, STORE } from './measurements.statements.ts';
import { startOfDay, toBlocksOfFrame, toReadings } from './reading-block.ts';

interface StateRow extends Presence, Omit<DeviceState, 'presence' | 'latest'> {
  latest: LatestReading[] | null;
  organizationId: string;
  assetId: string;
  serialNumber: string;
  openAlerts: unknown[];
  subscribed: string[] | null;
  /** Another transaction has locked the state, which is null. */
  isLocked: boolean;
}

interface LockedStates {
  byAsset: ReadonlyMap<string, LockedState>;
  /** Active devices whose states another transaction has locked; they are left out. */
  unavailable: SerialInOrganization[];
}

interface StateChanges {
  /** Devices whose state has changed, which includes every device with a frame. */
  states: Array<{ device: AssetRef; state: DeviceState }>;
  frames: ReceivedFrame[];
}

interface SentTimes extends AssetRef {
  /** Unix milliseconds, of any channel. */
  times: number[];
}

/** By asset and key of the reading. */
export type StoredByAsset = ReadonlyMap<string, ReadonlyMap<number, StoredReading>>;

export type MeasurementsRepository = ReturnType<typeof createMeasurementsRepository>;

export function createMeasurementsRepository(sql: Sql) {
  return {
    /** Locks the states of active devices, in one order. */
    async lockStates(serials: SerialInOrganization[], locking: Locking): Promise<LockedStates> {
      if (serials.length === 0) return { byAsset: new Map(), unavailable: [] };
      const organizationIds = serials.map(({ organizationId }) => organizationId);
      const rows = await queryPrepared<StateRow>(
        sql,
        locking === 'skip' ? 'measurements_lock_free_states' : 'measurements_lock_states',
        lockStates(locking),
        {
          organizations: [...new Set(organizationIds)],
          organizationIds,
          serialNumbers: serials.map(({ serialNumber }) => serialNumber),
        },
      );
      const locked = rows.filter(({ isLocked }) => !isLocked);
      return {
        byAsset: new Map(locked.map((row) => [row.assetId, toLockedState(row)])),
        unavailable: rows.filter(({ isLocked }) => isLocked),
      };
    },

    /** The stored readings at these times, of every channel. Takes no statement without a time. */
    async findStored(sent: readonly SentTimes[]): Promise<StoredByAsset> {
      const ranges = sent.flatMap(toRanges);
      if (ranges.length === 0) return new Map();
      const rows = await queryPrepared<OverlapRow>(sql, 'measurements_find_stored', FIND_STORED, {
        ...assetKeys(ranges),
        from: toArrayText(ranges, ({ from }) => new Date(from).toISOString()),
        to: toArrayText(ranges, ({ to }) => new Date(to).toISOString()),
        before: toArrayText(ranges, ({ before }) => new Date(before).toISOString()),
        times: toArrayText(inOrder(sent), (at) => new Date(at).toISOString()),
      });
      return toStored(rows, sent);
    },

    /**
     * Stores the fresh readings of the frames, and the states of the devices, whose rows the caller has locked. `check`
     * says which readings were compared with what is stored.
     * @throws OutdatedDeviceState
     */
    async store({ states, frames }: StateChanges, check: DuplicateCheck): Promise<void> {
      if (states.length === 0) return;
      const blocks = toAssetBlocks(frames);
      const outdated = await queryPrepared(sql, 'measurements_store', STORE, {
        ...stateBindings(states, blocks),
        ...blockBindings(blocks),
        ...(check === 'all' ? knownBindings([]) : knownBindings(frames)),
      });
      if (outdated.length > 0)
        throw new OutdatedDeviceState('A stored reading is newer than the state knows');
    },
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/** Field by field: a spread of this many fields makes a hash table in V8, which is slow and large. */
const toLockedState = (row: StateRow): LockedState => ({
  subscribed: row.subscribed ? new Set(row.subscribed) : NOTHING,
  openAlerts: row.openAlerts,
  state: {
    presence: { status: row.status, lastContactAt: row.lastContactAt, expectedBy: row.expectedBy },
    signalStrength: row.signalStrength,
    sendsSignal: row.sendsSignal,
    batteryStatus: row.batteryStatus,
    lastReadingAt: row.lastReadingAt,
    latestMeasuredAt: row.latestMeasuredAt,
    channelTypes: row.channelTypes,
    newestReadingAt: row.newestReadingAt,
    latest: row.latest ?? [],
  },
});

const toAssetBlocks = (frames: ReceivedFrame[]): AssetBlock[] =>
  frames.flatMap(({ device: { organizationId, assetId }, frame, fresh }) =>
    toBlocksOfFrame(fresh, frame).map((block) => ({
      organizationId,
      assetId,
      block,
      freshHour: freshHourOf(block),
    })),
  );

/** One entry per device. */
function stateBindings(changes: StateChanges['states'], blocks: AssetBlock[]) {
  const states = changes.map(({ state }) => state);
  const storedFrom = firstTimes(blocks);
  const freshFrom = firstTimes(blocks.filter(({ freshHour }) => freshHour !== null));
  return {
    ...assetKeys(changes.map(({ device }) => device)),
    ...presenceBindings(states.map(({ presence }) => presence)),
    signalStrengths: toArrayText(states, ({ signalStrength }) => signalStrength),
    sendSignals: toArrayText(states, ({ sendsSignal }) => String(sendsSignal)),
    batteryStatuses: toArrayText(states, ({ batteryStatus }) => batteryStatus),
    lastReadingAt: toArrayText(states, ({ lastReadingAt }) => lastReadingAt?.toISOString() ?? null),
    latestMeasuredAt: toArrayText(states, ({ latestMeasuredAt }) => latestMeasuredAt?.toISOString() ?? null),
    newestReadingAt: states.map(({ newestReadingAt }) => JSON.stringify(newestReadingAt)),
    latest: states.map(({ latest }) => JSON.stringify(latest)),
    channelTypes: states.map(({ channelTypes }) => channelTypes && `{${channelTypes.join()}}`),
    storedFrom: toArrayText(changes, ({ device }) => toTime(storedFrom.get(device.assetId))),
    freshFrom: toArrayText(changes, ({ device }) => toTime(freshFrom.get(device.assetId))),
  };
}

/** By asset id. */
function firstTimes(blocks: AssetBlock[]): Map<string, number> {
  const first = new Map<string, number>();
  for (const { assetId, block } of blocks)
    first.set(assetId, Math.min(block.firstAt, first.get(assetId) ?? block.firstAt));
  return first;
}

const toTime = (atMs: number | undefined): string | null =>
  atMs === undefined ? null : new Date(atMs).toISOString();

/** Times that the states of the devices knew before; where they knew none, all readings were compared already. */
function knownBindings(frames: ReceivedFrame[]) {
  const known = frames.filter(({ device }) => device.state.latestMeasuredAt !== null);
  return {
    knownOrganizationIds: toArrayText(known, ({ device }) => device.organizationId),
    knownAssetIds: toArrayText(known, ({ device }) => device.assetId),
    knownMeasuredAt: toArrayText(known, ({ device }) => device.state.latestMeasuredAt?.toISOString() ?? null),
    knownUntil: toArrayText(known, ({ state }) => state.latestMeasuredAt?.toISOString() ?? null),
  };
}

interface OverlapRow extends BlockRow {
  assetId: string;
}

function toStored(rows: OverlapRow[], sent: readonly SentTimes[]): StoredByAsset {
  const byAsset = new Map(
    sent.map(({ assetId, times }) => [
      assetId,
      { times: new Set(times), stored: new Map<number, StoredReading>() },
    ]),
  );
  for (const row of rows) {
    const asset = byAsset.get(row.assetId);
    if (!asset) continue;
    for (const reading of toReadings(blockOf(row), (atMs) => asset.times.has(atMs)))
      asset.stored.set(keyOfReading(reading), reading);
  }
  return new Map([...byAsset].map(([assetId, { stored }]) => [assetId, stored]));
}

const inOrder = (sent: readonly SentTimes[]): number[] =>
  sent.flatMap(({ times }) => times).sort((a, b) => a - b);

/** Unix milliseconds, both inclusive. */
interface TimeRange extends AssetRef {
  from: number;
  to: number;
  /** The end of the day of both: blocks beyond it cannot overlap the range. */
  before: number;
}

const RANGE_GAP_MS = 3_600_000;

/** Ranges within days. Times that are far apart are looked up apart, so that readings between them are not read. */
function toRanges({ organizationId, assetId, times }: SentTimes): TimeRange[] {
  const ranges: TimeRange[] = [];
  for (const at of times.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && at < last.before && at - last.to <= RANGE_GAP_MS) last.to = at;
    else ranges.push({ organizationId, assetId, from: at, to: at, before: startOfDay(at) + DAY_MS });
  }
  return ranges;
}
