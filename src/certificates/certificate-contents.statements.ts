/** As text, because it changes rows of two tables at once. */

/** Longer than any upload may take, and any download. */
export const REMOVED_AFTER = `interval '1 hour'`;

/** A content that was not completed. */
export const REMOVE_CONTENT = `
  with listed as (
    delete from certificate_removals where organization_id = :organizationId and content_id = :contentId
    returning organization_id, content_id
  )
  delete from certificate_chunks c using listed l
  where c.organization_id = l.organization_id and c.content_id = l.content_id`;
