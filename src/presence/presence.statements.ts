/** As text: sweeps over the devices of all organizations, or of one where tables are distributed. */

/** The time by which the deadline of `device_states s` is extended: outages since its last contact. */
const EXTENSION = `(
    select coalesce(sum(ended_at - greatest(started_at, s.last_contact_at)), '0')
    from unnest(:startedAt::timestamptz[], :endedAt::timestamptz[]) as outages (started_at, ended_at)
    where ended_at > s.last_contact_at
  )`;

const IS_OVERDUE = `s.status = 'online' and s.overdue_check_at < :now::timestamptz
  and s.expected_by + ${EXTENSION} < :now::timestamptz`;

const inOne = (organizationId: string | null): string =>
  organizationId === null ? '' : 's.organization_id = :organizationId and';

/** For `eachOrganization`. */
export const WITH_DUE_CHECKS = `
  select distinct organization_id as "organizationId" from device_states
  where status = 'online' and overdue_check_at < :now::timestamptz`;

/** Moves the next check to the deadline, or to infinity without one. An ongoing outage may extend it for a while only. */
export const postponeChecks = (organizationId: string | null): string => `
  with due as materialized (
    select s.organization_id, s.asset_id, case
      when deadline is null then 'infinity'
      when :isOngoing and deadline > s.expected_by
        then least(deadline, :now::timestamptz + interval '5 minutes')
      else deadline end as check_at
    from device_states s cross join lateral (select s.expected_by + ${EXTENSION} as deadline) as extended
    where ${inOne(organizationId)} s.status = 'online' and s.overdue_check_at < :now::timestamptz
      and coalesce(deadline, 'infinity') >= :now::timestamptz
    order by s.overdue_check_at limit :limit for no key update of s skip locked
  )
  update device_states s set overdue_check_at = due.check_at
  from due
  where ${inOne(organizationId)} s.organization_id = due.organization_id and s.asset_id = due.asset_id
  returning 1`;

/** For `eachOrganization`. */
export const WITH_OVERDUE = `
  select distinct organization_id as "organizationId" from device_states s where ${IS_OVERDUE}`;

/** Rows that are locked are skipped, so no order of locks has to be kept. */
export const markOverdueOffline = (organizationId: string | null): string => `
  with overdue as (
    select s.organization_id, s.asset_id, a.serial_number
    from device_states s
    cross join lateral (
      select serial_number from assets
      where organization_id = s.organization_id and id = s.asset_id and archived_at is null
      limit 1
    ) as a
    where ${inOne(organizationId)} ${IS_OVERDUE}
    order by s.overdue_check_at limit :limit for no key update of s skip locked
  )
  update device_states s set status = 'offline' from overdue o
  where ${inOne(organizationId)} s.organization_id = o.organization_id and s.asset_id = o.asset_id
  returning s.organization_id as "organizationId", s.asset_id as "assetId",
    o.serial_number as "serialNumber", s.expected_by as "expectedBy"`;

/** Organizations with more overdue devices than `:overdueMin`, and how many active assets they have. */
export const COUNT_OVERDUE = `
  select late.organization_id as "organizationId", late.overdue, late.since, fleet.total
  from (
    select s.organization_id, count(*) as overdue, min(s.expected_by) as since from device_states s
    where ${IS_OVERDUE} group by s.organization_id having count(*) > :overdueMin
  ) as late
  cross join lateral (
    select count(*) as total from assets
    where organization_id = late.organization_id and archived_at is null
  ) as fleet`;
