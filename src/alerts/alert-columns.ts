import { mutedUntil } from '../mutes/mutes.statements.ts';

/**
 * The moment at which mutes are looked up: now, or the end of the alert, which may be hours before its frame arrived.
 * Earlier releases stored no end.
 */
const momentOf = (alerts: string): string =>
  `case when ${alerts}.status = 'resolved' then coalesce(${alerts}.ended_at, ${alerts}.updated_at) else now() end`;

/** The group of an alert's asset: now, or at the end of the alert. */
const groupAt = (alerts: string): string => `case ${alerts}.status when 'resolved' then (
    select group_id from asset_groups where organization_id = ${alerts}.organization_id
      and asset_id = ${alerts}.asset_id and from_at <= ${momentOf(alerts)}
    order by from_at desc limit 1
  ) else (
    select group_id from assets where organization_id = ${alerts}.organization_id and id = ${alerts}.asset_id
  ) end`;

/** Whether an alert is muted, or was at its end. `alerts` is the name of the table in the statement. */
export const isMuted = (alerts: string): string =>
  `${mutedUntil(
    `${alerts}.organization_id`,
    `${alerts}.asset_id`,
    groupAt(alerts),
    momentOf(alerts),
  )} is not null`;

/** Earlier releases stored no end of resolved alerts. */
export const ENDED_AT = "coalesce(ended_at, case when status = 'resolved' then updated_at end)";

/**
 * When the next step of the open escalation `e` is due; later while an acknowledgement, a snooze or a mute
 * holds it. The mute of one device holds no escalation of its fleet.
 */
const nextStepAt = (alerts: string): string =>
  `greatest(e.next_step_at, e.held_until, case when e.fleet_total is null then ${mutedUntil(
    `${alerts}.organization_id`,
    `${alerts}.asset_id`,
    groupAt(alerts),
    'now()',
  )} end)`;

/**
 * The progress of the alert's escalation; one look-up by its key. `alerts` is the name of the table in the
 * statement.
 */
export const escalationOf = (alerts: string): string => `(
    select jsonb_build_object('id', e.policy_id, 'step', e.steps_made, 'nextStepAt', case
      when e.state = 'open' and e.next_step_at is not null and ${alerts}.status <> 'resolved'
      then to_char(${nextStepAt(alerts)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end)
    from alert_escalations e where e.organization_id = ${alerts}.organization_id and e.alert_id = ${alerts}.id
  ) as escalation`;

/** Columns of an alert, from `alerts a`. */
export const ALERT_COLUMNS = `a.id, a.asset_id as "assetId", a.serial_number as "serialNumber", a.type, a.severity, a.status, a.details,
  a.started_at as "startedAt", a.updated_at as "updatedAt", a.acknowledged_at as "acknowledgedAt",
  a.acknowledged_by as "acknowledgedBy", a.assignee, a.snooze_until as "snoozeUntil", a.late, ${ENDED_AT} as "endedAt", a.extreme,
  ${isMuted('a')} as muted, ${escalationOf('a')}`;
