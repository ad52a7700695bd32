/** Text: locks rows of several organizations, and removes them. */

export const IS_OLD = `status = 'resolved' and updated_at < now() - make_interval(days => :days)`;

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
