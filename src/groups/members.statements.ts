/** Text, because it works on a set of assets and writes two tables. */

/** Puts active assets into the group; null: into none. */
export const ASSIGN = `
  with assigned as (
    update assets set group_id = :groupId::uuid
    where organization_id = :organizationId and archived_at is null and id = any(:assetIds::uuid[])
    returning organization_id, id, group_id
  )
  insert into asset_groups (organization_id, asset_id, from_at, group_id)
  select organization_id, id, clock_timestamp(), group_id from assigned`;
