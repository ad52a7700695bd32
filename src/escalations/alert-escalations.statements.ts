/** As text: sweeps, which go through all organizations, and what a change of a policy does to all its escalations. */

export const LIST_WITHOUT_WORKFLOW = `
  select organization_id as "organizationId", alert_id as "alertId" from ((
    select organization_id, alert_id, 1 as turn, greatest(next_step_at, held_until) as since from alert_escalations
    where state = 'open' and next_step_at is not null and greatest(next_step_at, held_until) <= :now
      and coalesce(workflow_checked_at, '-infinity') < now() - make_interval(secs => :seconds)
    order by greatest(next_step_at, held_until) limit :limit
  ) union all (
    select organization_id, alert_id, 2, coalesce(workflow_checked_at, '-infinity') from alert_escalations
    where state = 'open' and (next_step_at is null or greatest(next_step_at, held_until) > :now)
      and coalesce(workflow_checked_at, '-infinity') < now() - make_interval(secs => :seconds)
    order by coalesce(workflow_checked_at, '-infinity') limit :limit
  )) as missing order by turn, since limit :limit`;

/** Locked in the order of their ids, as others who change several do. */
export const PLAN_BY_POLICY = `
  with locked as (
    select organization_id, alert_id from alert_escalations
    where organization_id = :organizationId and policy_id = :policyId and state = 'open'
    order by alert_id for no key update
  ), planned as (
    update alert_escalations e set next_step_at = case
      when e.steps_made < jsonb_array_length(:steps::jsonb) then
        e.began_at + make_interval(mins => (:steps::jsonb -> e.steps_made ->> 'afterMinutes')::integer)
      when e.repeats_made < :repeatsMax then e.last_step_at + make_interval(mins => :repeatMinutes::integer)
    end
    from locked n where e.organization_id = n.organization_id and e.alert_id = n.alert_id
      and e.organization_id = :organizationId
    returning e.organization_id, e.alert_id
  )
  select organization_id as "organizationId", alert_id as "alertId" from planned limit :limit`;

export const END_BY_POLICY = `
  with locked as (
    select organization_id, alert_id from alert_escalations
    where organization_id = :organizationId and policy_id = :policyId and state = 'open'
    order by alert_id for no key update
  ), ended as (
    update alert_escalations e set state = :state
    from locked n where e.organization_id = n.organization_id and e.alert_id = n.alert_id
      and e.organization_id = :organizationId
    returning e.organization_id, e.alert_id
  )
  select organization_id as "organizationId", alert_id as "alertId" from ended limit :limit`;

export const COUNT_OPEN = `
  select (
    select count(*) from (select 1 from alert_escalations where state = 'open' limit 10000) as counted
  ) as open, coalesce((
    select extract(epoch from :now::timestamptz - greatest(next_step_at, held_until))::float8 from alert_escalations
    where state = 'open' and next_step_at is not null and greatest(next_step_at, held_until) <= :now
    order by greatest(next_step_at, held_until) limit 1
  ), 0) as "overdueSeconds"`;
