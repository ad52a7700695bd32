/** Text: statements over all organizations, and the choice of one alert of many. */
import { groupOf } from '../groups/member-group.ts';
import { mutedUntil } from '../mutes/mutes.statements.ts';
import { matchingPolicy } from './escalation-policy.ts';

export const LIST_FLEETS = `
  select f.organization_id as "organizationId", f.escalated_alert_id as "alertId", a.status,
    a.acknowledged_at is not null and (a.snooze_until > :now::timestamptz) is not false as "isAcknowledged"
  from overdue_fleets f
  left join alerts a on a.organization_id = f.organization_id and a.id = f.escalated_alert_id
  order by f.organization_id`;

/** Bounds the search for an alert that matches a policy. */
export const CANDIDATES_MAX = 20_000;

const GROUP = groupOf('a.organization_id', 'a.asset_id');

/**
 * The earliest alert of the fleet that matches a policy takes over from the previous one, if any, at its
 * step; if the policy of that one is gone, it starts at the first step. The caller has locked the fleet.
 */
export const ESCALATE_NEXT = `
  with fleet as (
    select organization_id, escalated_alert_id, overdue_count, total_count from overdue_fleets
    where organization_id = :organizationId
  ), chosen as (
    select a.organization_id, a.id, a.serial_number, p.id as policy_id, p.steps
    from (
      select * from alerts
      where organization_id = :organizationId and not is_announced and status = 'new'
      order by id limit ${CANDIDATES_MAX}
    ) as a
    cross join lateral ${matchingPolicy('a.organization_id', 'a.type', 'a.severity', GROUP)} as p
    where ${mutedUntil('a.organization_id', 'a.asset_id', GROUP, ':now::timestamptz')} is null
    order by a.id limit 1
  ), ended as (
    update alert_escalations e set state = case when e.state in ('policy_disabled', 'policy_deleted') then e.state
      else 'resolved' end
    from fleet f
    where e.organization_id = f.organization_id and e.alert_id = f.escalated_alert_id
      and e.organization_id = :organizationId
    returning e.*
  ), begun as (
    insert into alert_escalations (organization_id, alert_id, policy_id, began_at, steps_made, repeats_made,
      last_step_at, held_until, next_step_at, fleet_overdue, fleet_total)
    select c.organization_id, c.id, coalesce(b.policy_id, c.policy_id), coalesce(b.began_at, :now::timestamptz),
      coalesce(b.steps_made, 0), coalesce(b.repeats_made, 0), b.last_step_at, b.held_until,
      case when b.alert_id is null
        then :now::timestamptz + make_interval(mins => (c.steps -> 0 ->> 'afterMinutes')::integer)
        else b.next_step_at end,
      f.overdue_count, f.total_count
    from chosen c join fleet f on f.organization_id = c.organization_id
    left join (
      select * from ended where state = 'resolved' and policy_id in (
        select id from escalation_policies where organization_id = :organizationId and status = 'active'
          and (disabled_at is null or disabled_at < ended.began_at)
      )
    ) as b on b.organization_id = c.organization_id
    on conflict do nothing
    returning organization_id, alert_id
  ), marked as (
    update overdue_fleets f set escalated_alert_id = b.alert_id from begun b
    where f.organization_id = b.organization_id and f.organization_id = :organizationId
  )
  select b.organization_id as "organizationId", b.alert_id as "alertId", c.serial_number as "serialNumber",
    f.escalated_alert_id as "endedAlertId"
  from begun b join chosen c on c.organization_id = b.organization_id
  join fleet f on f.organization_id = b.organization_id`;
