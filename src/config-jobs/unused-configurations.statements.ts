/** Text: the retention, which reads the rows of all organizations page by page. */

/** Longer than any transaction takes, and than the age of anything that it has read. */
const UNUSED = `last_used_at < now() - interval '7 days'`;

/** The ids among `referred` that have not been used for long. */
const REFERRED = `(
    select coalesce(array_agg(distinct c.id), '{}') from referred r
    join configurations c on c.organization_id = r.organization_id and c.id = r.id
    where c.${UNUSED}
  )`;

export const FIND_CANDIDATE = `select 1 from configurations where ${UNUSED} limit 1`;

/** Makes every statement of the transaction read the present state. Has to be the first statement. */
export const BEGIN_SNAPSHOT = 'set transaction isolation level repeatable read, read only';

export const LIST_REFERRED_BY_DEVICES = `
  with page as materialized (
    select organization_id, asset_id, reported_config_id, confirmed_config_id, pending_config_id
    from device_configs where (organization_id, asset_id) > (?::uuid, ?::uuid)
    order by organization_id, asset_id limit ?
  ), referred as (
    select distinct page.organization_id, ids.id from page
    cross join lateral (values (reported_config_id), (confirmed_config_id), (pending_config_id)) as ids (id)
  )
  select ${REFERRED} as "configIds", (
    select array[organization_id, asset_id] from page order by organization_id desc, asset_id desc limit 1
  ) as last`;

export const LIST_REFERRED_BY_TARGETS = `
  with page as materialized (
    select organization_id, job_id, asset_id, change_config_id
    from config_targets where (organization_id, job_id, asset_id) > (?::uuid, ?::uuid, ?::uuid)
    order by organization_id, job_id, asset_id limit ?
  ), referred as (
    select distinct organization_id, change_config_id as id from page
  )
  select ${REFERRED} as "configIds", (
    select array[organization_id, job_id, asset_id] from page
    order by organization_id desc, job_id desc, asset_id desc limit 1
  ) as last`;

export const LIST_REFERRED_BY_SETTINGS = `
  with page as materialized (
    select organization_id, asset_id, from_at, config_id
    from device_settings where (organization_id, asset_id, from_at) > (?::uuid, ?::uuid, ?::timestamptz)
    order by organization_id, asset_id, from_at limit ?
  ), referred as (
    select distinct organization_id, config_id as id from page
  )
  select ${REFERRED} as "configIds", (
    select array[organization_id::text, asset_id::text, from_at::text] from page
    order by organization_id desc, asset_id desc, from_at desc limit 1
  ) as last`;

export const MARK_USED = `
  update configurations set last_used_at = now() where id = any(:configIds::uuid[]) and ${UNUSED}`;

export const LIST_UNUSED = `
  select organization_id as "organizationId", id from configurations where ${UNUSED} order by last_used_at limit :limit`;

export const REMOVE_UNUSED = `
  with locked as (
    select c.organization_id, c.id from unnest(:organizationIds::uuid[], :ids::uuid[]) as n (organization_id, id)
    join configurations c on c.organization_id = n.organization_id and c.id = n.id
    where ${UNUSED} for update of c skip locked
  )
  delete from configurations c using locked l where c.organization_id = l.organization_id and c.id = l.id returning 1`;
