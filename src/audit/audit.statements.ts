/** Text: the changes of a device stand under many subjects, which come from many tables. */

const HAS_SERIAL = 'lower(serial_number) = lower(:name)';
const HAS_NAME = 'casefold(name collate pg_unicode_fast) = casefold(:name::text collate pg_unicode_fast)';
const NAMED = `organization_id = :organizationId and ${HAS_NAME}`;

/**
 * Devices by the name, or by a serial number, present or former, up to a number; and all serial numbers of these. The
 * indexes of both hold active devices, so archived ones, which are fewer, are looked through.
 */
const DEVICES = `
  devices as (
    select * from (
      select id as asset_id from assets
      where organization_id = :organizationId and archived_at is null and ${HAS_SERIAL}
      union
      (select id from assets
       where organization_id = :organizationId and archived_at is null and ${HAS_NAME}
       order by casefold(name collate pg_unicode_fast) desc, id desc limit :devicesMax)
      union
      select id from assets
      where organization_id = :organizationId and archived_at is not null and (${HAS_SERIAL} or ${HAS_NAME})
      union
      select asset_id from asset_replacements
      where organization_id = :organizationId and ${HAS_SERIAL}
    ) as named
    order by asset_id desc limit :devicesMax
  ),
  loggers as (
    select a.serial_number from devices d
    join assets a on a.organization_id = :organizationId and a.id = d.asset_id
    union
    select r.serial_number from devices d
    join asset_replacements r on r.organization_id = :organizationId and r.asset_id = d.asset_id
  )`;

/**
 * Subjects by a name that somebody types: a slug, a serial number, or the name of a device, a group, a profile, an
 * escalation or a channel. A device brings its alerts and the jobs with it, the newest ones of each. `startsOf`: subjects of
 * the changes that began these jobs, beside changes of other devices.
 */
export const FIND_SUBJECTS = `
  with ${DEVICES},
  alerting as (
    select al.id from devices d cross join lateral (
      select id from alerts where organization_id = :organizationId and asset_id = d.asset_id
      order by id desc limit :ofDevicesMax
    ) as al
    order by al.id desc limit :ofDevicesMax
  ),
  jobs as (
    select j.id, j.profile_slug, j.origin ->> 'groupId' as group_id from devices d cross join lateral (
      select job_id from config_targets where organization_id = :organizationId and asset_id = d.asset_id
      order by job_id desc limit :ofDevicesMax
    ) as t
    join config_jobs j on j.organization_id = :organizationId and j.id = t.job_id
    order by j.id desc limit :ofDevicesMax
  )
  select
    array(
      select :name union select lower(:name)
      union select serial_number from loggers union select lower(serial_number) from loggers
      union select asset_id::text from devices union select id::text from alerting union select id::text from jobs
      union select id::text from groups where ${NAMED}
      union select slug from profiles where ${NAMED}
      union select id::text from escalation_policies where ${NAMED}
      union select id::text from notification_channels where ${NAMED}
    ) as subjects,
    array(select id::text from jobs) as "jobIds",
    array(select profile_slug from jobs union select group_id from jobs where group_id is not null) as "startsOf"`;
