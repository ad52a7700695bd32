/** Text: a sweep over all organizations, by turns and from two indexes. */
import { mutedUntil } from '../mutes/mutes.statements.ts';

/** The end of the mute of the asset of an alert `a`. */
export const MUTED_UNTIL = mutedUntil(
  'a.organization_id',
  'a.asset_id',
  '(select group_id from assets where organization_id = a.organization_id and id = a.asset_id)',
  ':now::timestamptz',
);

export const DUE_AT = 'greatest(e.next_step_at, e.held_until, e.muted_until)';

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
