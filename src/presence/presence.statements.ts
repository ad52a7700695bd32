/** Text: sweeps over the devices of all organizations, or of one where tables are distributed. */

/** The time by which the deadline of `device_states s` is extended: outages since its last contact. */
const EXTENSION = `(
    select coalesce(sum(ended_at - greatest(started_at, s.last_contact_at)), '0')
    from unnest(:startedAt::timestamptz[], :endedAt::timestamptz[]) as outages (started_at, ended_at)
    where ended_at > s.last_contact_at
  )`;
/** Null: the device is not expected. */
const DEADLINE = `case when s.status = 'online' then s.expected_by + ${EXTENSION} end`;

const isOverdue = (deadline: string): string => `${deadline} < :now::timestamptz`;
const isCheckDue = (deadline: string): string => `coalesce(${deadline}, 'infinity') >= :now::timestamptz`;

/** Devices whose check is due, by one look-up of each: joined freely, all states might be read. */
const CHECKED = `overdue_checks c
  cross join lateral (
    select status, expected_by, last_contact_at from device_states
    where organization_id = c.organization_id and asset_id = c.asset_id limit 1
  ) as s
  where c.check_at < :now::timestamptz`;

/**
 * Locks the listed states, and skips locked ones, so no order of locks has to be kept. Their times are compared
 * afterwards, because the planner would otherwise look states up by them.
 */
const LOCKED = `locked as materialized (
    select s.organization_id, s.asset_id, s.expected_by, ${DEADLINE} as deadline
    from unnest(:organizationIds::uuid[], :ids::uuid[]) as n (organization_id, asset_id)
    join device_states s on s.organization_id = n.organization_id and s.asset_id = n.asset_id
    for no key update of s skip locked
  )`;

const listChecked = (condition: string): string => `
  select c.organization_id as "organizationId", c.asset_id as id from ${CHECKED}
    and ${condition} order by c.check_at limit :limit`;

export const LIST_DUE_CHECKS = listChecked(isCheckDue(DEADLINE));
export const LIST_OVERDUE = listChecked(isOverdue(DEADLINE));

/** Moves the next check to the deadline, or to infinity without one. An ongoing outage may extend it for a while only. */
export const POSTPONE_CHECKS = `
  with ${LOCKED}, due as materialized (
    select s.organization_id, s.asset_id, case
      when deadline is null then 'infinity'
      when :isOngoing and deadline > s.expected_by
        then least(deadline, :now::timestamptz + interval '5 minutes')
      else deadline end as check_at
    from locked s where ${isCheckDue('s.deadline')}
  )
  update overdue_checks c set check_at = due.check_at
  from due
  where c.organization_id = due.organization_id and c.asset_id = due.asset_id
  returning 1`;

/** Also moves the check to infinity: every later batch would look the device up again at the front of the index. */
export const MARK_OVERDUE_OFFLINE = `
  with ${LOCKED}, overdue as materialized (
    select s.organization_id, s.asset_id, a.serial_number
    from locked s
    cross join lateral (
      select serial_number from assets
      where organization_id = s.organization_id and id = s.asset_id and archived_at is null
      limit 1
    ) as a
    where ${isOverdue('s.deadline')}
  ), moved as (
    update overdue_checks c set check_at = 'infinity' from overdue o
    where c.organization_id = o.organization_id and c.asset_id = o.asset_id
  )
  update device_states s set status = 'offline' from overdue o
  where s.organization_id = o.organization_id and s.asset_id = o.asset_id
  returning s.organization_id as "organizationId", s.asset_id as "assetId",
    o.serial_number as "serialNumber", s.expected_by as "expectedBy"`;

/** Organizations with more overdue devices than `:overdueMin`, and how many active assets they have. */
export const COUNT_OVERDUE = `
  select late.organization_id as "organizationId", late.overdue, late.since, fleet.total
  from (
    select c.organization_id, count(*) as overdue, min(s.expected_by) as since from ${CHECKED}
      and ${isOverdue(DEADLINE)} group by c.organization_id having count(*) > :overdueMin
  ) as late
  cross join lateral (
    select count(*) as total from assets
    where organization_id = late.organization_id and archived_at is null
  ) as fleet`;
