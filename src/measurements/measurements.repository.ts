import { toArrayText } from '../db/array-text.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import {
  PRESENCE_ARRAYS,
  PRESENCE_COLUMNS,
  presenceBindings,
  SET_PRESENCE,
} from '../presence/presence-columns.ts';
import { ANY_SPAN, type AssetBlock, BLOCK_COLUMNS, blockBindings, SELECT_BLOCKS } from './block-columns.ts';
import { type DuplicateCheck, OutdatedDeviceState } from './duplicate-check.ts';
import { toBlocksOfFrame } from './reading-block.ts';
import type { DeviceState, StoredFrame } from './stored-frame.ts';

/** Of devices with one message each. */
export interface StateChanges {
  /** Devices whose state has changed, as every frame does. */
  states: Array<{ device: AssetRef; state: DeviceState }>;
  frames: StoredFrame[];
}

export type MeasurementsRepository = ReturnType<typeof createMeasurementsRepository>;

export function createMeasurementsRepository(sql: Sql) {
  return {
    /**
     * Stores the fresh readings of the frames, and the states of the devices, whose rows the caller has locked. One
     * statement, since each costs a round trip. `check` says which readings were compared with what is stored.
     * @throws OutdatedDeviceState
     */
    async store({ states, frames }: StateChanges, check: DuplicateCheck): Promise<void> {
      if (states.length === 0) return;
      const blocks = toAssetBlocks(frames);
      const outdated = await queryPrepared(
        sql,
        'measurements_store',
        `with states as (
           update device_states s set ${SET_PRESENCE},
             signal_strength = n.signal_strength, sends_signal = n.sends_signal, battery_status = n.battery_status,
             last_reading_at = n.last_reading_at,
             last_reading_from = case when n.last_reading_at < s.last_reading_from
                 or n.last_reading_at at time zone 'UTC' >= s.last_reading_from at time zone 'UTC' + interval '12 hours'
               then date_trunc('hour', n.last_reading_at at time zone 'UTC') at time zone 'UTC' else s.last_reading_from end,
             latest_measured_at = n.latest_measured_at,
             newest_reading_at = n.newest_reading_at, latest = n.latest,
             observed_channel_types = string_to_array(btrim(n.observed_channel_types, '{}'), ',')::smallint[],
             uncompacted_from = least(s.uncompacted_from, n.stored_from)
           from unnest(?::uuid[], ?::uuid[], ${PRESENCE_ARRAYS}, ?::text[], ?::boolean[], ?::text[], ?::timestamptz[],
               ?::timestamptz[], ?::jsonb[], ?::json[], ?::text[], ?::timestamptz[])
             as n (organization_id, asset_id, ${PRESENCE_COLUMNS}, signal_strength, sends_signal, battery_status,
               last_reading_at, latest_measured_at, newest_reading_at, latest, observed_channel_types, stored_from)
           where s.organization_id = n.organization_id and s.asset_id = n.asset_id
         ), stored as (
           insert into measurement_blocks (${BLOCK_COLUMNS}) ${SELECT_BLOCKS}
         )
         -- What was stored before this statement contradicts the states that it was called with.
         select known.asset_id
         from unnest(?::uuid[], ?::uuid[], ?::timestamptz[]) as known (organization_id, asset_id, latest_measured_at)
         cross join lateral (
           select from measurement_blocks
           where organization_id = known.organization_id and asset_id = known.asset_id
             and ${ANY_SPAN} and last_at > known.latest_measured_at
           limit 1
         ) as newer`,
        [
          ...stateBindings(states, blocks),
          ...blockBindings(blocks),
          ...(check === 'all' ? knownBindings([]) : knownBindings(frames)),
        ],
      );
      if (outdated.length > 0)
        throw new OutdatedDeviceState('A stored reading is newer than the state knows');
    },
  };
}

const toAssetBlocks = (frames: StoredFrame[]): AssetBlock[] =>
  frames.flatMap(({ device: { organizationId, assetId }, frame, fresh }) =>
    toBlocksOfFrame(fresh, frame).map((block) => ({ organizationId, assetId, block })),
  );

/** One entry per device. */
function stateBindings(changes: StateChanges['states'], blocks: AssetBlock[]): unknown[] {
  const states = changes.map(({ state }) => state);
  const storedFrom = new Map<string, number>();
  for (const { assetId, block } of blocks) {
    storedFrom.set(assetId, Math.min(block.firstAt, storedFrom.get(assetId) ?? block.firstAt));
  }
  return [
    toArrayText(changes, ({ device }) => device.organizationId),
    toArrayText(changes, ({ device }) => device.assetId),
    ...presenceBindings(states.map(({ presence }) => presence)),
    toArrayText(states, ({ signalStrength }) => signalStrength),
    toArrayText(states, ({ sendsSignal }) => String(sendsSignal)),
    toArrayText(states, ({ batteryStatus }) => batteryStatus),
    toArrayText(states, ({ lastReadingAt }) => lastReadingAt?.toISOString() ?? null),
    toArrayText(states, ({ latestMeasuredAt }) => latestMeasuredAt?.toISOString() ?? null),
    states.map(({ newestReadingAt }) => JSON.stringify(newestReadingAt)),
    states.map(({ latest }) => JSON.stringify(latest)),
    states.map(({ channelTypes }) => channelTypes && `{${channelTypes.join()}}`),
    toArrayText(changes, ({ device }) => toTime(storedFrom.get(device.assetId))),
  ];
}

const toTime = (atMs: number | undefined): string | null =>
  atMs === undefined ? null : new Date(atMs).toISOString();

/** What the states of the devices knew before; where that is nothing, all readings were compared already. */
function knownBindings(frames: StoredFrame[]): string[] {
  const known = frames.filter(({ device }) => device.state.latestMeasuredAt !== null);
  return [
    toArrayText(known, ({ device }) => device.organizationId),
    toArrayText(known, ({ device }) => device.assetId),
    toArrayText(known, ({ device }) => device.state.latestMeasuredAt?.toISOString() ?? null),
  ];
}
