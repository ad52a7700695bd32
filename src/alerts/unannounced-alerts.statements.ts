/** Text: statements on sets, some of them in batches of frames. */

const UNANNOUNCED = `organization_id = :organizationId and not is_announced and status <> 'resolved'`;

export const COUNT_UNANNOUNCED = `
  select count(*) as count from (select from alerts where ${UNANNOUNCED} limit :limit) as counted`;

export const LIST_UNANNOUNCED = `
  select organization_id as "organizationId", asset_id as "assetId", id as "alertId" from alerts
  where ${UNANNOUNCED} order by id limit :limit`;

export const LIST_ASSETS = `
  select n.asset_id as "assetId"
  from unnest(:organizationIds::uuid[], :assetIds::uuid[]) as n (organization_id, asset_id)
  cross join lateral (
    select is_announced from alerts
    where organization_id = n.organization_id and asset_id = n.asset_id and type = 'no_data'
    order by id desc limit 1
  ) as latest
  where not latest.is_announced`;

/**
 * Skips an alert that a frame is resolving: it is over, or is returned the next time. It is acknowledged now, because it may
 * have begun after the acknowledgement of the other one.
 */
export const ACKNOWLEDGE_AS = `
  with others as (
    select organization_id, id from alerts
    where organization_id = :organizationId and not is_announced and status = 'new'
      and id > coalesce(:after::uuid, '00000000-0000-0000-0000-000000000000')
    order by id limit :limit for no key update skip locked
  ), acknowledged as (
    update alerts a set status = 'acknowledged', acknowledged_at = now(),
      acknowledged_by = f.acknowledged_by, snooze_until = f.snooze_until, updated_at = now()
    from others n, alerts f
    where a.organization_id = n.organization_id and a.id = n.id and a.organization_id = :organizationId
      and f.organization_id = :organizationId and f.id = :alertId and f.acknowledged_at is not null
    returning a.organization_id, a.id, a.acknowledged_by, a.snooze_until
  ), recorded as (
    insert into alert_actions (organization_id, alert_id, action, actor, comment)
    select organization_id, alert_id, action, actor, comment from (
      select organization_id, id as alert_id, 'acknowledged' as action, acknowledged_by as actor, null as comment, 1 as position
      from acknowledged
      union all
      select organization_id, id, 'snoozed', acknowledged_by, (
          select comment from alert_actions
          where organization_id = :organizationId and alert_id = :alertId and action = 'snoozed' order by id desc limit 1
        ), 2
      from acknowledged where snooze_until is not null
    ) as entries order by alert_id, position
  )
  select id from acknowledged order by id`;
