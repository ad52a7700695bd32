/** As text, because every message of a device runs them, for all devices of its batch at once. */
import type { Locking } from '../db/locking-commit.ts';
import { ACTIVE_BY_SERIAL } from '../devices/device-row.ts';
import {
  BRING_CHECKS_FORWARD,
  PRESENCE_ARRAYS,
  PRESENCE_COLUMNS,
  SET_PRESENCE,
} from '../presence/presence-columns.ts';
import { BLOCK_COLUMNS, BLOCK_FIELDS, placesOf, SELECT_BLOCKS, STORED_COLUMNS } from './block-columns.ts';

export const lockStates = (locking: Locking) => `
  with subscriptions as materialized (
    select e.organization_id, array_agg(distinct t.type) as event_types
    from endpoints e cross join lateral unnest(e.events) as t (type)
    where e.organization_id = any(:organizations::uuid[]) and (e.status = 'active' or e.disabled_reason = 'failing')
    group by 1
  )
  select a.organization_id as "organizationId", a.id as "assetId", a.serial_number as "serialNumber",
    s.status, s.last_contact_at as "lastContactAt", s.expected_by as "expectedBy",
    s.signal_strength as "signalStrength", s.sends_signal as "sendsSignal", s.battery_status as "batteryStatus",
    s.last_reading_at as "lastReadingAt", s.latest_measured_at as "latestMeasuredAt",
    s.observed_channel_types as "channelTypes", s.newest_reading_at as "newestReadingAt", s.latest,
    s.excursions || s.open_alerts as "openAlerts", subscriptions.event_types as subscribed, s.asset_id is null as "isLocked"
  -- One look-up in each index per device: joined freely, a batch may read whole tables instead.
  from (select * from ${ACTIVE_BY_SERIAL} as found order by organization_id, id) as a
  ${locking === 'skip' ? 'left' : 'inner'} join lateral (
    select * from device_states where organization_id = a.organization_id and asset_id = a.id
    for no key update ${locking === 'skip' ? 'skip locked' : ''}
  ) as s on true
  left join subscriptions on subscriptions.organization_id = a.organization_id`;

/** One statement, since each costs a round trip. */
export const STORE = `
  with n as materialized (
    select * from unnest(:organizationIds::uuid[], :assetIds::uuid[], ${PRESENCE_ARRAYS}, :signalStrengths::text[],
        :sendSignals::boolean[], :batteryStatuses::text[], :lastReadingAt::timestamptz[],
        :latestMeasuredAt::timestamptz[], :newestReadingAt::jsonb[], :latest::json[], :channelTypes::text[],
        :storedFrom::timestamptz[], :freshFrom::timestamptz[])
      as n (organization_id, asset_id, ${PRESENCE_COLUMNS}, signal_strength, sends_signal, battery_status,
        last_reading_at, latest_measured_at, newest_reading_at, latest, observed_channel_types, stored_from, fresh_from)
  ), states as (
    update device_states s set ${SET_PRESENCE},
      signal_strength = n.signal_strength, sends_signal = n.sends_signal, battery_status = n.battery_status,
      last_reading_at = n.last_reading_at,
      last_reading_from = case when n.last_reading_at < s.last_reading_from
          or n.last_reading_at at time zone 'UTC' >= s.last_reading_from at time zone 'UTC' + interval '12 hours'
        then date_trunc('hour', n.last_reading_at at time zone 'UTC') at time zone 'UTC' else s.last_reading_from end,
      latest_measured_at = n.latest_measured_at,
      newest_reading_at = n.newest_reading_at, latest = n.latest,
      observed_channel_types = string_to_array(btrim(n.observed_channel_types, '{}'), ',')::smallint[],
      uncompacted_from = least(s.uncompacted_from, n.stored_from), fresh_from = least(s.fresh_from, n.fresh_from)
    from n
    where s.organization_id = n.organization_id and s.asset_id = n.asset_id
  ), checks as (${BRING_CHECKS_FORWARD}
  ), stored as (
    insert into measurement_blocks (${BLOCK_COLUMNS}) ${SELECT_BLOCKS}
  )
  -- What was stored before this statement contradicts the states that it was called with.
  select known.asset_id
  from unnest(:knownOrganizationIds::uuid[], :knownAssetIds::uuid[], :knownMeasuredAt::timestamptz[],
      :knownUntil::timestamptz[])
    as known (organization_id, asset_id, latest_measured_at, until)
  cross join lateral (
    select from ${placesOf('known.organization_id', 'known.asset_id', 'known.latest_measured_at', 'known.until')}
    cross join lateral (
      select from measurement_blocks
      where organization_id = known.organization_id and asset_id = known.asset_id
        and place = at.place and last_at > known.latest_measured_at
      limit 1
    ) as found
    limit 1
  ) as newer`;

/**
 * Looked up for each place: joined freely, all blocks from from_at on might be read. Blocks between the times that were sent,
 * of which a device may have thousands, stay on the server: `width_bucket` counts the times up to a moment. `:times` are in
 * order.
 */
export const FIND_STORED = `
  select asset_id as "assetId", ${BLOCK_FIELDS} from (
    select n.asset_id, stored.*
    from unnest(:organizationIds::uuid[], :assetIds::uuid[], :from::timestamptz[], :to::timestamptz[],
        :before::timestamptz[])
      as n (organization_id, asset_id, from_at, to_at, before_at)
    cross join (select :times::timestamptz[] as times) as sent
    cross join lateral ${placesOf('n.organization_id', 'n.asset_id', 'n.from_at', 'n.to_at')}
    cross join lateral (
      select ${STORED_COLUMNS} from measurement_blocks
      where organization_id = n.organization_id and asset_id = n.asset_id and place = at.place
        and last_at >= n.from_at and last_at < n.before_at
        and last_at <= n.to_at + make_interval(mins => at.reach) and first_at <= n.to_at
        and width_bucket(last_at, sent.times) > width_bucket(first_at - interval '1 microsecond', sent.times)
      offset 0
    ) as stored
  ) as b`;
