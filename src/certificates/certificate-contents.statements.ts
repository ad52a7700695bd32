/** Text, because they change rows of two tables at once, and skip locked ones. */

/** Longer than any upload or download may take. */
export const REMOVED_AFTER = `interval '1 hour'`;

/** Removes a content that was not completed. */
export const REMOVE_CONTENT = `
  with listed as (
    delete from certificate_removals where organization_id = :organizationId and content_id = :contentId
    returning organization_id, content_id
  )
  delete from certificate_chunks c using listed l
  where c.organization_id = l.organization_id and c.content_id = l.content_id`;

/** Removes one content of each organization. */
export const REMOVE_DUE = `
  with due as (
    select r.organization_id, r.content_id from unnest(:organizationIds::uuid[], :ids::uuid[]) as n (organization_id, id)
    join certificate_removals r on r.organization_id = n.organization_id and r.content_id = n.id
    where due_at <= now() order by due_at limit 1 for update of r skip locked
  ), chunks as (
    delete from certificate_chunks c using due d
    where c.organization_id = d.organization_id and c.content_id = d.content_id
  )
  delete from certificate_removals r using due d
  where r.organization_id = d.organization_id and r.content_id = d.content_id
  returning 1`;
