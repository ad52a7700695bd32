import { toArrayText } from '../db/array-text.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import {
  PRESENCE_ARRAYS,
  PRESENCE_COLUMNS,
  presenceBindings,
  SET_PRESENCE,
} from '../presence/presence-columns.ts';
import type { StoredFrame } from './stored-frame.ts';

/** Which readings may be stored already: those that are no newer than the state of their device knows, or all. */
export type DuplicateCheck = 'no newer' | 'all';

export type MeasurementsRepository = ReturnType<typeof createMeasurementsRepository>;

const KEY = 'organization_id, asset_id, measured_at, channel';
const COLUMNS = `${KEY}, received_at, type, value, error, late`;

export function createMeasurementsRepository(sql: Sql) {
  return {
    /**
     * Stores the fresh readings of the frames, and the last state of each device, whose rows the caller has locked.
     * Returns the positions of the readings that were stored before, counted through all fresh ones.
     *
     * One statement, since each costs a round trip. Only readings that may be stored already are compared with what is
     * there, which costs half as much as the insert again. Another reading that is there violates the table's key.
     */
    async store(frames: StoredFrame[], check: DuplicateCheck): Promise<number[]> {
      if (frames.length === 0) return [];
      const maybeStored = frames.flatMap((frame) => mayBeStored(frame, check));
      const rows = await queryPrepared<{ position: number }>(
        sql,
        'measurements_store',
        `with states as (
           update device_states s set ${SET_PRESENCE},
             signal_strength = n.signal_strength, battery_status = n.battery_status,
             last_reading_at = n.last_reading_at, latest_measured_at = n.latest_measured_at,
             newest_reading_at = n.newest_reading_at,
             observed_channel_types = n.observed_channel_types::smallint[]
           from unnest(?::uuid[], ?::uuid[], ${PRESENCE_ARRAYS}, ?::text[], ?::text[], ?::timestamptz[],
               ?::timestamptz[], ?::jsonb[], ?::text[])
             as n (organization_id, asset_id, ${PRESENCE_COLUMNS}, signal_strength, battery_status,
               last_reading_at, latest_measured_at, newest_reading_at, observed_channel_types)
           where s.organization_id = n.organization_id and s.asset_id = n.asset_id
         ), sent as materialized (
           select f.organization_ids[r.frame] as organization_id, f.asset_ids[r.frame] as asset_id,
             f.received_at[r.frame] as received_at, r.*
           from (select ?::uuid[] as organization_ids, ?::uuid[] as asset_ids, ?::timestamptz[] as received_at) as f
           cross join unnest(?::integer[], ?::timestamptz[], ?::smallint[], ?::smallint[],
             ?::double precision[], ?::integer[], ?::boolean[], ?::boolean[]) with ordinality
             as r (frame, measured_at, channel, type, value, error, late, maybe_stored, position)
         ), inserted as (
           insert into measurements (${COLUMNS}) select ${COLUMNS} from sent where not maybe_stored
         ), inserted_unless_stored as (
           insert into measurements (${COLUMNS}) select ${COLUMNS} from sent where maybe_stored
           on conflict do nothing returning ${KEY}
         )
         -- Nearly always all are new: then the last condition is false, and nothing is joined.
         select sent.position - 1 as position from sent left join inserted_unless_stored added using (${KEY})
         where maybe_stored and added.channel is null
           and (select count(*) from inserted_unless_stored) < ?::bigint`,
        [
          ...stateBindings(frames),
          ...readingBindings(frames),
          toArrayText(maybeStored, (each) => each),
          maybeStored.filter((each) => each).length,
        ],
      );
      return rows.map(({ position }) => position);
    },
  };
}

function mayBeStored({ fresh, device }: StoredFrame, check: DuplicateCheck): boolean[] {
  const { latestMeasuredAt } = device.state;
  if (check === 'all' || latestMeasuredAt === null) return fresh.map(() => true);
  return fresh.map(({ measuredAt }) => measuredAt <= latestMeasuredAt);
}

/** One entry per device. */
function stateBindings(frames: StoredFrame[]): unknown[] {
  const last = [...new Map(frames.map((frame) => [frame.device.assetId, frame])).values()];
  const states = last.map(({ state }) => state);
  return [
    toArrayText(last, ({ device }) => device.organizationId),
    toArrayText(last, ({ device }) => device.assetId),
    ...presenceBindings(states.map(({ presence }) => presence)),
    toArrayText(states, ({ signalStrength }) => signalStrength),
    toArrayText(states, ({ batteryStatus }) => batteryStatus),
    toArrayText(states, ({ lastReadingAt }) => lastReadingAt?.toISOString() ?? null),
    toArrayText(states, ({ latestMeasuredAt }) => latestMeasuredAt?.toISOString() ?? null),
    states.map(({ newestReadingAt }) => JSON.stringify(newestReadingAt)),
    states.map(({ channelTypes }) => channelTypes && `{${channelTypes.join()}}`),
  ];
}

/** What a frame has in common, by frame; then the readings, each with the number of its frame. */
function readingBindings(frames: StoredFrame[]): string[] {
  const readings = frames.flatMap(({ fresh }) => fresh);
  const frameNumbers = frames.flatMap(({ fresh }, index) => Array<number>(fresh.length).fill(index + 1));
  return [
    toArrayText(frames, ({ device }) => device.organizationId),
    toArrayText(frames, ({ device }) => device.assetId),
    toArrayText(frames, ({ frame }) => frame.receivedAt.toISOString()),
    toArrayText(frameNumbers, (number) => number),
    toArrayText(readings, ({ measuredAt }) => measuredAt.toISOString()),
    toArrayText(readings, ({ channel }) => channel),
    toArrayText(readings, ({ type }) => type),
    toArrayText(readings, ({ value }) => value),
    toArrayText(readings, ({ error }) => error),
    toArrayText(readings, ({ late }) => late),
  ];
}
