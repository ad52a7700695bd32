/** As text, because it looks a set of names up, each as it was given. */

/** Groups that have one of `:names`, without regard to case. */
export const FIND_BY_NAMES = `
  select n.name, g.id from unnest(:names::text[]) as n (name)
  join groups g on lower(g.name collate pg_c_utf8) = lower(n.name collate pg_c_utf8)
  where g.organization_id = :organizationId and g.deleted_at is null`;
