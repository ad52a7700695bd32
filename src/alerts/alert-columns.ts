/** Releases before have left out when resolved alerts ended. */
export const ENDED_AT = "coalesce(ended_at, case when status = 'resolved' then updated_at end)";

/** An alert, from `alerts a`. */
export const ALERT_COLUMNS = `a.id, a.asset_id as "assetId", a.serial_number as "serialNumber", a.type, a.severity, a.status, a.details,
  a.started_at as "startedAt", a.updated_at as "updatedAt", a.acknowledged_at as "acknowledgedAt",
  a.acknowledged_by as "acknowledgedBy", a.assignee, a.snooze_until as "snoozeUntil", a.late, ${ENDED_AT} as "endedAt", a.extreme`;
