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

/** Used by `eachOrganization`. */
export const WITH_DUE = {
  text: `select distinct organization_id as "organizationId" from certificate_removals where due_at <= now()`,
};

/** Removes one due content. `organizationId` null: in all organizations. */
export const removeDue = (organizationId: string | null): string => `
  with due as (
    select organization_id, content_id from certificate_removals
    where ${organizationId === null ? '' : 'organization_id = :organizationId and'} due_at <= now()
    order by due_at limit 1 for update skip locked
  ), chunks as (
    delete from certificate_chunks c using due d
    where c.organization_id = d.organization_id and c.content_id = d.content_id
  )
  delete from certificate_removals r using due d
  where r.organization_id = d.organization_id and r.content_id = d.content_id
  returning 1`;
