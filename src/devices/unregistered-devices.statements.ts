/** Text: a batch of messages records its devices at once, and retention removes those of all organizations. */

/** Bounds the rows that a faulty or hostile sender can store. */
const PER_ORGANIZATION_MAX = 1_000;

/**
 * As a value, of one row at most: for a condition with `exists`, the planner reads all assets of an organization to join
 * them.
 */
export const IS_UNREGISTERED = `(
    select a.id from assets a where a.organization_id = unregistered_devices.organization_id
      and lower(a.serial_number) = unregistered_devices.serial_number and a.archived_at is null
  ) is null`;

/** Counts once per organization. Processes that record at the same time may add a few more. */
export const RECORD = `
  with contacts as (
    select organization_id, lower(serial_number) as serial_number, count(*) as contact_count
    from unnest(:organizationIds::uuid[], :serialNumbers::text[]) as n (organization_id, serial_number) group by 1, 2
  ), lists as materialized (
    select o.organization_id, (
      select count(*) from unregistered_devices
      where unregistered_devices.organization_id = o.organization_id and ${IS_UNREGISTERED}
    ) as listed
    from (select distinct organization_id from contacts) as o
  )
  insert into unregistered_devices (organization_id, serial_number, contact_count, last_contact_at)
  select s.organization_id, s.serial_number, s.contact_count, now()
  from (
    select c.*, k.serial_number is null as is_new,
      row_number() over (partition by c.organization_id, k.serial_number is null order by c.serial_number) as position
    from contacts c
    left join unregistered_devices k on k.organization_id = c.organization_id and k.serial_number = c.serial_number
  ) as s
  join lists l on l.organization_id = s.organization_id
  where not s.is_new or l.listed + s.position <= ${PER_ORGANIZATION_MAX}
  order by 1, 2
  on conflict on constraint unregistered_devices_pkey do update
    set contact_count = unregistered_devices.contact_count + excluded.contact_count, last_contact_at = excluded.last_contact_at`;

/** Without an index, which every contact would have to write: an organization has a bounded number of rows. */
export const REMOVE_OUTDATED = `
  delete from unregistered_devices
  where last_contact_at < now() - make_interval(days => :days) or not ${IS_UNREGISTERED}`;
