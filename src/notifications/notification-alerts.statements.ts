/** Text, because they join a set of alerts with other tables, by one look-up each. */
import { ALERT_COLUMNS } from '../alerts/alert-columns.ts';
import { mutedUntil } from '../mutes/mutes.statements.ts';
import { isOutsideInterval } from './notifications.statements.ts';

const mutedUntilAt = (at: string): string =>
  mutedUntil(
    ':organizationId::uuid',
    'a.asset_id',
    '(select group_id from assets where organization_id = :organizationId::uuid and id = a.asset_id)',
    at,
  );

/** Compares times of readings, not of their arrival: an excursion at night is notified although its readings arrive during a maintenance at noon. */
const IS_OF_MAINTENANCE = `coalesce(o.was_over and ${mutedUntilAt('a.started_at')} >= a.ended_at, false)`;

const IS_ACKNOWLEDGED = `coalesce(a.status = 'acknowledged' and (a.snooze_until > :now::timestamptz) is not false, false)`;

/** Its message has yet to be attempted for the first time. */
const IS_UNATTEMPTED = `exists (
      select 1 from notifications
      where organization_id = :organizationId and channel_id = :channelId and state = 'pending' and not is_escalation
        and created_at = o.notified_at and attempt_count = 0 and leased_by is null
    )`;

export const LIST_DUE = `
  select d.alert_id as "alertId", coalesce(o.notified_at is not null and not ${IS_UNATTEMPTED}, false) as "isNotified",
    coalesce(a.status = 'resolved', true) as "isOver", coalesce(o.was_over or a.late, false) as "isLate",
    ${IS_ACKNOWLEDGED} as "isAcknowledged",
    ${IS_OF_MAINTENANCE} as "isOfMaintenance", ${mutedUntilAt(':now::timestamptz')} as "mutedUntil"
  from (
    select distinct organization_id, alert_id from (
      select organization_id, alert_id from notification_alerts
      where organization_id = :organizationId and channel_id = :channelId and due_at <= :now
      order by due_at, alert_id limit :limit
    ) as due
  ) as d
  left join lateral (
    select notified_at, was_over from notification_alerts
    where organization_id = d.organization_id and alert_id = d.alert_id and channel_id = :channelId and kind = 'opening'
    limit 1
  ) as o on true
  left join lateral (
    select status, late, snooze_until, asset_id, started_at, ended_at from alerts
    where organization_id = d.organization_id and id = d.alert_id limit 1
  ) as a on true
  order by d.alert_id`;

/** The alert has represented an overdue fleet and is resolved, and the alert that represents the fleet now is acknowledged. */
const IS_FLEET_ACKNOWLEDGED = `a.status = 'resolved' and not a.is_announced and exists (
      select 1 from overdue_fleets f
      join alerts e on e.organization_id = f.organization_id and e.id = f.escalated_alert_id
      where f.organization_id = :organizationId and e.acknowledged_at is not null
        and (e.snooze_until > :now::timestamptz) is not false
    )`;

/** An alert that has represented an overdue fleet is not over before the fleet is. */
export const LIST_MENTIONED = `
  select n.alert_id as "alertId", coalesce(a.status = 'resolved' and (a.is_announced or not exists (
      select 1 from overdue_fleets where organization_id = :organizationId
    )), true) as "isOver",
    (${IS_ACKNOWLEDGED} or coalesce(${IS_FLEET_ACKNOWLEDGED}, false)) as "isAcknowledged",
    n.alert_id::text in (
      select named.mention -> 'alert' ->> 'id'
      from notifications m cross join lateral jsonb_array_elements(m.content #> '{data,alerts}') as named (mention)
      where m.organization_id = :organizationId and m.channel_id = :channelId and m.id > :id::uuid and m.state <> 'failed'
    ) as "isSuperseded", ${mutedUntilAt(':now::timestamptz')} is not null as "isMuted"
  from unnest(:alertIds::uuid[]) as n (alert_id)
  left join lateral (
    select asset_id, status, snooze_until, is_announced from alerts
    where organization_id = :organizationId and id = n.alert_id limit 1
  ) as a on true`;

/** A channel may have thousands of alerts, each muted until another time. */
export const POSTPONE_EACH = `
  update notification_alerts q set due_at = n.until
  from unnest(:alertIds::uuid[], :untils::timestamptz[]) as n (alert_id, until)
  where q.organization_id = :organizationId and q.channel_id = :channelId and q.alert_id = n.alert_id
    and q.due_at < n.until`;

export const PLAN_REMINDERS = `
  with planned as materialized (
    select d.organization_id, d.alert_id from notification_alerts d cross join lateral (
      select asset_id from alerts where organization_id = d.organization_id and id = d.alert_id and status = 'new' limit 1
    ) as a
    where d.organization_id = :organizationId and d.channel_id = :channelId and d.kind = 'opening'
      and d.notified_at is not null and (d.due_at is null or (
        d.due_at > :now::timestamptz and d.due_at is distinct from :heldUntil::timestamptz
        and d.due_at is distinct from ${mutedUntilAt(':now::timestamptz')}
      ))
  )
  update notification_alerts q set due_at = :dueAt::timestamptz from planned p
  where q.organization_id = p.organization_id and q.alert_id = p.alert_id and q.organization_id = :organizationId
    and q.channel_id = :channelId and q.kind = 'opening'`;

/** In the order of `:alertIds`. */
export const LIST_ALERTS = `
  select ${ALERT_COLUMNS}, asset.name as "assetName", asset.model,
    coalesce(c.reported_channel_types, s.observed_channel_types) as "channelTypes"
  from unnest(:organizationIds::uuid[], :alertIds::uuid[]) with ordinality as n (organization_id, id, position)
  cross join lateral (
    select * from alerts where organization_id = n.organization_id and id = n.id limit 1
  ) as a
  cross join lateral (
    select name, model from assets where organization_id = n.organization_id and id = a.asset_id limit 1
  ) as asset
  left join lateral (
    select observed_channel_types from device_states
    where organization_id = n.organization_id and asset_id = a.asset_id limit 1
  ) as s on true
  left join lateral (
    select reported_channel_types from device_configs
    where organization_id = n.organization_id and asset_id = a.asset_id limit 1
  ) as c on true
  order by n.position`;

/** Leaves out channels whose alerts wait on purpose: for the next gathering, or until earlier messages are sent. */
export const FIND_OLDEST_ALERT = `
  select coalesce(max(extract(epoch from :now::timestamptz - due.due_at)), 0)::float8 as seconds
  from notification_channels c cross join lateral (
    select due_at from notification_alerts q
    where q.organization_id = c.organization_id and q.channel_id = c.id and q.due_at <= :now::timestamptz
    order by due_at limit 1
  ) as due
  where c.status = 'active' and c.is_confirmed and ${isOutsideInterval('c.gathered_at')}
    and (
      select count(*) from (
        select 1 from notifications m
        where m.organization_id = c.organization_id and m.channel_id = c.id and m.state = 'pending' and not m.is_escalation
        limit :unsentMax
      ) as unsent
    ) < :unsentMax`;
