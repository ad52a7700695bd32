/** How far the escalation of the alert is, from the alias of `alerts`; one look-up by its key. */
export const escalationOf = (alerts: string): string => `(
    select jsonb_build_object('id', e.policy_id, 'step', e.steps_made, 'nextStepAt', case
      when e.state = 'open' and e.next_step_at is not null and ${alerts}.status <> 'resolved'
      then to_char(greatest(e.next_step_at, e.held_until) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end)
    from alert_escalations e where e.organization_id = ${alerts}.organization_id and e.alert_id = ${alerts}.id
  ) as escalation`;

/** An alert, from `alerts a`. */
export const ALERT_COLUMNS = `a.id, a.asset_id as "assetId", a.serial_number as "serialNumber", a.type, a.severity, a.status, a.details,
  a.started_at as "startedAt", a.updated_at as "updatedAt", a.acknowledged_at as "acknowledgedAt",
  a.acknowledged_by as "acknowledgedBy", a.assignee, a.snooze_until as "snoozeUntil", ${escalationOf('a')}`;
