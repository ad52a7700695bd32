/** Text: the retention, which compares configurations with all rows of an organization that may refer to them. */

/** Longer than any transaction takes, and than the age of anything that it has read. */
export const UNUSED = `last_used_at < now() - interval '7 days'`;

/** One statement, hence one snapshot: a reference that moves from row to row is found in one of them. */
export const LIST_REFERRED = `
  with referred as (
    select reported_config_id as id from device_configs where organization_id = :organizationId
    union select confirmed_config_id from device_configs where organization_id = :organizationId
    union select pending_config_id from device_configs where organization_id = :organizationId
    union select change_config_id from config_targets where organization_id = :organizationId
    union select config_id from device_settings where organization_id = :organizationId
  )
  select c.id from configurations c join referred r on r.id = c.id
  where c.organization_id = :organizationId and c.${UNUSED}`;
