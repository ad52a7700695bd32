/** As text, because they read blocks of readings, each by its own look-up in the index. */
import { TEMPERATURE } from '../devices/device-capabilities.ts';
import { BLOCK_FIELDS, placesOf, STORED_COLUMNS } from './block-columns.ts';

/** Blocks of an asset and a place, for averages per hour: a day of blocks of five minutes. The newest are read. */
const RECENT_BLOCKS_MAX = 300;

export const LIST_RECENT = `
  select "assetId", ${BLOCK_FIELDS} from (
    select n.asset_id as "assetId", b.*
    from unnest(:organizationIds::uuid[], :assetIds::uuid[], :channels::smallint[])
      as n (organization_id, asset_id, shown_channel)
    cross join lateral ${placesOf('n.organization_id', 'n.asset_id', ':from::timestamptz', 'fresh.latest_measured_at')}
    cross join lateral (
      select ${STORED_COLUMNS} from measurement_blocks
      where organization_id = n.organization_id and asset_id = n.asset_id and place = at.place
        and channel = n.shown_channel and last_at >= :from::timestamptz
      order by last_at desc, channel desc limit ${RECENT_BLOCKS_MAX}
    ) as b
  ) as found`;

/** Blocks of one asset, and readings of an answer: bounds of a statement, whatever the assets have. */
const FEW_BLOCKS_MAX = 50;
const FEW_READINGS_MAX = 500;

/** Blocks of each asset, as the history lists them. Their arrays are not read before it is known which of them fit. */
export const LIST_FEW = `
  select position::integer, cut::integer, ${BLOCK_FIELDS} from (
    select *, min(position) filter (where blocks >= ${FEW_BLOCKS_MAX} or total > ${FEW_READINGS_MAX}) over () as cut from (
      select b.*, n.position, count(*) over (partition by n.position) as blocks,
        row_number() over (partition by n.position order by b.last_at desc) as nth,
        sum(b.readings) over (order by n.position) as total
      from unnest(:assetIds::uuid[]) with ordinality as n (asset_id, position)
      cross join lateral (
        select b.* from ${placesOf(':organizationId', 'n.asset_id', ':from::timestamptz', 'least(fresh.latest_measured_at, :to::timestamptz)')}
        cross join lateral (
          select ${STORED_COLUMNS}, coalesce(cardinality(steps), cardinality(numbers)) as readings
          from measurement_blocks
          where organization_id = :organizationId and asset_id = n.asset_id and place = at.place
            and last_at >= :from::timestamptz and last_at < :endOfDay::timestamptz
            and last_at <= :to::timestamptz + make_interval(mins => at.reach) and first_at < :to::timestamptz
          order by last_at desc limit ${FEW_BLOCKS_MAX}
        ) as b
        order by b.last_at desc limit ${FEW_BLOCKS_MAX}
      ) as b
    ) as b
  ) as b
  where cut is null or position < cut or position = cut and nth = 1
  order by position, last_at desc`;

/** More than loggers store in such a range, however long they were out of reach. */
export const SURROUNDING_BLOCKS_MAX = 5_000;

/**
 * A next sample is no later than the end of the block that ends first, among the blocks that hold one. Of each device, the
 * last ranges and blocks as long as they have at most `:readingsMax` readings together, and the block that exceeds it.
 */
export const FIND_SURROUNDING = `
  select b.index, extract(epoch from b.until)::float8 * 1000 as until, b.total, ${BLOCK_FIELDS}
  from (
    select n.index, next.until, stored.*, sum(stored.readings)
      over (partition by n.asset_id order by n.index desc, stored.last_at desc rows unbounded preceding) as total
    from unnest(:organizationIds::uuid[], :assetIds::uuid[], :channels::smallint[], :from::timestamptz[],
        :to::timestamptz[], :haveNext::boolean[], :indexes::integer[])
      as n (organization_id, asset_id, channel, from_at, to_at, has_next, index)
    cross join lateral (
      select coalesce(min(found.last_at), n.to_at) as until
      from ${placesOf('n.organization_id', 'n.asset_id', 'n.to_at', 'fresh.latest_measured_at')}
      cross join lateral (
        select last_at from measurement_blocks
        where organization_id = n.organization_id and asset_id = n.asset_id and place = at.place
          and channel = n.channel and type = ${TEMPERATURE} and last_at > n.to_at and n.has_next
          and array_remove(coalesce(steps::double precision[], numbers), null) <> '{}'
        order by last_at limit 1
      ) as found
    ) as next
    cross join lateral (
      select b.* from ${placesOf('n.organization_id', 'n.asset_id', 'n.from_at', 'least(fresh.latest_measured_at, next.until)')}
      cross join lateral (
        select ${STORED_COLUMNS}, coalesce(cardinality(steps), cardinality(numbers)) as readings
        from measurement_blocks
        where organization_id = n.organization_id and asset_id = n.asset_id and place = at.place
          and channel = n.channel and type = ${TEMPERATURE} and last_at >= n.from_at
          and last_at <= next.until + make_interval(mins => at.reach) and first_at <= next.until
        order by last_at desc limit ${SURROUNDING_BLOCKS_MAX}
      ) as b
      order by b.last_at desc limit ${SURROUNDING_BLOCKS_MAX}
    ) as stored
  ) as b
  where b.total - b.readings <= :readingsMax
  order by b.index, b.last_at desc`;
