/** Text: they lock and rewrite blocks of many devices at once. */
import { BLOCK_COLUMNS, BLOCK_FIELDS, placesOf, SELECT_BLOCKS, STORED_COLUMNS } from './block-columns.ts';

export const DUE = `uncompacted_from < :before::timestamptz
    and (uncompacted_from, asset_id) > (:afterFrom::timestamptz, :afterId::uuid)`;

/** Filters by time after the lock, so that the planner looks devices up by their ids. */
export const LOCK_DUE = `
  with locked as materialized (
    select s.organization_id, s.asset_id, s.uncompacted_from
    from unnest(:organizationIds::uuid[], :ids::uuid[]) as n (organization_id, id)
    join device_states s on s.organization_id = n.organization_id and s.asset_id = n.id
    for no key update of s skip locked
  )
  select organization_id as "organizationId", asset_id as "assetId", uncompacted_from as "from" from locked
  where ${DUE}`;

/**
 * Days, device by device, as long as they have at most `:readingsMax` readings together; where a day exceeds it, one block of
 * that day, which is not within it. The arrays of all others stay on the server.
 */
export const LIST_BLOCKS = `
  select organization_id as "organizationId", asset_id as "assetId", ${BLOCK_FIELDS}, fresh_hour as "freshHour",
    total <= :readingsMax as "isWithin"
  from (
    select *, lag(total, 1, 0) over (order by position, day) as earlier
    from (
      select n.organization_id, n.asset_id, n.position, b.*,
        sum(b.readings) over (order by n.position, b.day) as total
      from unnest(:organizationIds::uuid[], :assetIds::uuid[], :from::timestamptz[], :before::timestamptz[])
        with ordinality as n (organization_id, asset_id, from_at, before_at, position)
      cross join lateral ${placesOf('n.organization_id', 'n.asset_id', 'n.from_at', 'n.before_at')}
      cross join lateral (
        select ${STORED_COLUMNS}, fresh_hour, date_trunc('day', last_at at time zone 'UTC') as day,
          coalesce(cardinality(steps), cardinality(numbers)) as readings
        from measurement_blocks
        where organization_id = n.organization_id and asset_id = n.asset_id
          and place = at.place and last_at >= n.from_at and last_at < n.before_at
        -- Looked up for each device: joined freely, it might read whole partitions.
        offset 0
      ) as b
    ) as counted
  ) as limited
  where earlier <= :readingsMax`;

/** Places of the blocks of a day. */
export const AT_PLACES_OF_DAY = `place = any (array(
    select place from ${placesOf(':organizationId', ':assetId', ':from::timestamptz', ':before::timestamptz')}
  ))`;

export const INSERT = `insert into measurement_blocks (${BLOCK_COLUMNS}) ${SELECT_BLOCKS}`;

export const RECORD_COMPACTED = `
  update device_states s set uncompacted_from = n.next_at, fresh_from = n.next_fresh_at
  from (
    select n.organization_id, n.asset_id, newer.next_at, newer.next_fresh_at
    from unnest(:organizationIds::uuid[], :assetIds::uuid[], :before::timestamptz[])
      as n (organization_id, asset_id, before_at)
    cross join lateral (
      select min(last_at) as next_at, min(first_at) filter (where fresh_hour is not null) as next_fresh_at
      from ${placesOf('n.organization_id', 'n.asset_id', 'n.before_at', 'fresh.latest_measured_at')}
      cross join lateral (
        select first_at, last_at, fresh_hour from measurement_blocks
        where organization_id = n.organization_id and asset_id = n.asset_id
          and place = at.place and last_at >= n.before_at
        order by last_at limit 1
      ) as first
    ) as newer
  ) as n
  where s.organization_id = n.organization_id and s.asset_id = n.asset_id`;
