/**
 * Escalations that begin and end in the transaction that opens or resolves alerts. An escalation belongs to
 * the oldest policy that matches the alert; the group of its asset is looked up only for a policy with
 * groups. A single alert of an overdue fleet escalates: see fleet-escalations.service.ts. Ending escalations
 * are locked in the order of their alerts, as in all transactions that change several.
 */
import { type AlertRef, alertKeys } from '../alerts/alert.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { groupOf } from '../groups/member-group.ts';
import { matchingPolicy } from './escalation-policy.ts';

export interface OpenedAlert extends AlertRef {
  type: string;
  severity: string;
}

export interface BegunEscalation extends AlertRef {
  policyId: string;
  nextStepAt: Date | null;
}

const GROUP = groupOf(
  'n.organization_id',
  '(select asset_id from alerts where organization_id = n.organization_id and id = n.alert_id)',
);

/** Whether another alert escalates for the whole fleet. */
const IS_OF_FLEET = `(n.type = 'no_data' and exists (
      select from overdue_fleets where organization_id = n.organization_id and escalated_alert_id is not null
    ))`;

const BEGIN = `
  insert into alert_escalations (organization_id, alert_id, policy_id, began_at, next_step_at)
  select n.organization_id, n.alert_id, p.id, n.at,
    n.at + make_interval(mins => (p.steps -> 0 ->> 'afterMinutes')::integer)
  from unnest(:organizationIds::uuid[], :alertIds::uuid[], :types::text[], :severities::text[], :at::timestamptz[])
    as n (organization_id, alert_id, type, severity, at)
  cross join lateral ${matchingPolicy('n.organization_id', 'n.type', 'n.severity', GROUP)} as p
  where not ${IS_OF_FLEET}
  on conflict do nothing
  returning organization_id as "organizationId", alert_id as "alertId", policy_id as "policyId", next_step_at as "nextStepAt"`;

const END = `
  with locked as (
    select e.organization_id, e.alert_id
    from unnest(:organizationIds::uuid[], :alertIds::uuid[]) as n (organization_id, alert_id)
    join alert_escalations e on e.organization_id = n.organization_id and e.alert_id = n.alert_id
    where e.state <> 'resolved'
    order by e.organization_id, e.alert_id for no key update of e
  )
  update alert_escalations set state = 'resolved' from locked n
  where alert_escalations.organization_id = n.organization_id and alert_escalations.alert_id = n.alert_id
  returning alert_escalations.organization_id as "organizationId", alert_escalations.alert_id as "alertId"`;

export type EscalationQueueRepository = ReturnType<typeof createEscalationQueueRepository>;

/** Runs in batches of frames, so its statements are prepared. */
export function createEscalationQueueRepository(sql: Sql) {
  return {
    /** Begins the escalation of alerts that match a policy. Returns the escalations. */
    async begin(opened: OpenedAlert[], at: Date): Promise<BegunEscalation[]> {
      if (opened.length === 0) return [];
      return queryPrepared(sql, 'alert_escalations_begin', BEGIN, {
        ...alertKeys(opened),
        types: opened.map(({ type }) => type),
        severities: opened.map(({ severity }) => severity),
        at: opened.map(() => at.toISOString()),
      });
    },

    /** Returns the alerts whose escalations end. */
    async end(ended: AlertRef[]): Promise<AlertRef[]> {
      return ended.length === 0 ? [] : queryPrepared(sql, 'alert_escalations_end', END, alertKeys(ended));
    },
  };
}
