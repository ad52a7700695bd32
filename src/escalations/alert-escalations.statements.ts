/** Text: sweeps over all organizations, and the effects of a changed policy on its escalations. */
import { mutedUntil } from '../mutes/mutes.statements.ts';

/** The end of the mute of the asset of an alert `a`. */
export const MUTED_UNTIL = mutedUntil(
  'a.organization_id',
  'a.asset_id',
  '(select group_id from assets where organization_id = a.organization_id and id = a.asset_id)',
  ':now::timestamptz',
);

const DUE_AT = 'greatest(e.next_step_at, e.held_until, e.muted_until)';

/** Whether a step of `e` is due. A mute that its run has not read yet may hold it. */
export const IS_DUE = `e.state = 'open' and e.next_step_at is not null and ${DUE_AT} <= :now`;

/** Due steps first, one of each organization in turn, so that many of one delay none of another. */
export const LIST_WITHOUT_WORKFLOW = `
  select organization_id as "organizationId", alert_id as "alertId" from ((
    select * from (
      select e.organization_id, e.alert_id, row_number() over (partition by e.organization_id order by ${DUE_AT}) as turn,
        ${DUE_AT} as since
      from alert_escalations e
      where ${IS_DUE} and coalesce(e.workflow_checked_at, e.began_at) < now() - make_interval(secs => :seconds)
    ) as due
    where turn <= :limit order by turn, since limit :limit
  ) union all (
    select organization_id, alert_id, null, coalesce(workflow_checked_at, began_at) from alert_escalations
    where state = 'open' and coalesce(workflow_checked_at, began_at) < now() - make_interval(secs => :seconds)
    order by coalesce(workflow_checked_at, began_at) limit :limit
  )) as missing
  group by organization_id, alert_id order by min(turn), min(since) limit :limit`;

/**
 * The next open escalations of a policy, locked in the order of their alerts, as in all transactions that change several.
 * Ends those that began until the policy was last disabled. Returns for each whether it has ended, or its next step is
 * earlier than before.
 */
export const PLAN_NEXT = `
  with locked as (
    select organization_id, alert_id, next_step_at from alert_escalations
    where organization_id = :organizationId and policy_id = :policyId and state = 'open' and alert_id > :after::uuid
    order by alert_id limit :limit for no key update
  ), planned as (
    update alert_escalations e set next_step_at = case
      when e.steps_made < jsonb_array_length(:steps::jsonb) then
        e.began_at + make_interval(mins => (:steps::jsonb -> e.steps_made ->> 'afterMinutes')::integer)
      when e.repeats_made < :repeatsMax then e.last_step_at + make_interval(mins => :repeatMinutes::integer)
    end, state = case when e.began_at <= :disabledAt::timestamptz then 'policy_disabled' else e.state end
    from locked n where e.organization_id = n.organization_id and e.alert_id = n.alert_id
      and e.organization_id = :organizationId
    returning e.alert_id, e.state, e.next_step_at, n.next_step_at as before
  )
  select alert_id as "alertId", state <> 'open' or coalesce(next_step_at < coalesce(before, 'infinity'), false) as "isAffected"
  from planned order by alert_id`;

export const COUNT_OPEN = `
  select (
    select count(*) from (select 1 from alert_escalations where state = 'open' limit 10000) as counted
  ) as open, coalesce((
    select extract(epoch from :now::timestamptz - ${DUE_AT})::float8
    from alert_escalations e where ${IS_DUE} order by ${DUE_AT} limit 1
  ), 0) as "overdueSeconds"`;
