/** Text: sweeps over all organizations. */

export const LIST_SNOOZE_ENDED = `
  select organization_id as "organizationId", id as "alertId" from alerts
  where status = 'acknowledged' and snooze_until <= :now::timestamptz order by snooze_until limit :limit`;

/** Counts alerts of all organizations. */
export const COUNT_OPEN = `
  select type, severity, status, count(*) as count, min(uuid_extract_timestamp(id)) as "oldestAt" from alerts
  where status <> 'resolved' group by type, severity, status`;

const IS_OLD = `status = 'resolved' and updated_at < now() - make_interval(days => :days)`;

export const LIST_OLD = `
  select organization_id as "organizationId", id from alerts where ${IS_OLD} order by updated_at limit :limit`;

/** Compares the time after the lock, because the planner would otherwise look rows up by it. */
export const REMOVE_OLD = `
  with locked as materialized (
    select a.organization_id, a.id, a.status, a.updated_at
    from unnest(:organizationIds::uuid[], :ids::uuid[]) as n (organization_id, id)
    join alerts a on a.organization_id = n.organization_id and a.id = n.id
    for update of a skip locked
  ), old as (
    select organization_id, id from locked where ${IS_OLD}
  )
  delete from alerts a using old where a.organization_id = old.organization_id and a.id = old.id returning 1`;
