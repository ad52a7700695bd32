/**
 * Where blocks of a device lie in the key of measurement_blocks: fresh ones hour by hour, others by how long they
 * are. An hour that many loggers share is few pages of the index, so their frames change few pages.
 */
import { HOUR_MS } from '../process/durations.ts';
import type { ReadingBlock } from './reading-block.ts';

/** Hours from 1970 to the end of a fresh block; null for any other. */
export const freshHourOf = ({ late, firstAt, lastAt }: ReadingBlock): number | null =>
  !late && lastAt - firstAt <= HOUR_MS ? Math.floor(lastAt / HOUR_MS) : null;

const hourOf = (time: string) => `floor(extract(epoch from ${time}) / 3600)::integer`;

/**
 * The places of all blocks with readings between two times, and by how many minutes they may reach beyond either. A
 * device without `fresh_from` has no fresh blocks. The parameters are expressions of SQL; `from` and `to` may read the
 * state of the device as `fresh`.
 */
export const placesOf = (organization: string, asset: string, from: string, to: string): string => `(
    select minutes as place, minutes as reach from unnest('{0,1,60,1440}'::integer[]) as spans (minutes)
    union all
    select hours.place, 60 as reach from device_states fresh
    cross join generate_series(${hourOf(`greatest(fresh.fresh_from, ${from})`)},
      ${hourOf(`${to} + interval '1 hour'`)}) as hours (place)
    where fresh.organization_id = ${organization} and fresh.asset_id = ${asset} and fresh.fresh_from is not null
  ) as at`;
