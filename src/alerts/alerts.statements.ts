/** As text: sweeps, which go through all organizations. */

export const LIST_SNOOZE_ENDED = `
  select organization_id as "organizationId", id as "alertId" from alerts
  where status = 'acknowledged' and snooze_until <= :now::timestamptz order by snooze_until limit :limit`;

/** Makes alerts of `:alertIds` new again whose snooze has ended, and adds that to their history. */
export const END_SNOOZES = `
  with ended as (
    update alerts set status = 'new', acknowledged_at = null, acknowledged_by = null, snooze_until = null,
      updated_at = now()
    where organization_id = :organizationId and id = any(:alertIds::uuid[])
      and status = 'acknowledged' and snooze_until <= :now::timestamptz
    returning organization_id, id
  )
  insert into alert_actions (organization_id, alert_id, action)
  select organization_id, id, 'snooze_ended' from ended`;

/** Counts alerts of all organizations. */
export const COUNT_OPEN = `
  select type, severity, status, count(*) as count, min(uuid_extract_timestamp(id)) as "oldestAt" from alerts
  where status <> 'resolved' group by type, severity, status`;

/** Used by `eachOrganization`. */
export const WITH_RESOLVED = `
  select distinct organization_id as "organizationId" from alerts
  where status = 'resolved' and updated_at < now() - make_interval(days => ?)`;

/** `organizationId` null: in all organizations. */
export const removeResolved = (organizationId: string | null): string => `
  with due as materialized (
    select organization_id, id from alerts
    where ${organizationId === null ? '' : 'organization_id = :organizationId and'} status = 'resolved'
      and updated_at < now() - make_interval(days => :days)
    order by updated_at limit :limit for update skip locked
  )
  delete from alerts a using due where a.organization_id = due.organization_id and a.id = due.id returning 1`;
