/** As text, because it looks a set of names up, each as it was given. */

/** Groups that have one of `:names`, without regard to case. */
export const FIND_BY_NAMES = `
  select n.name, g.id from unnest(:names::text[]) as n (name)
  join groups g on casefold(g.name collate pg_unicode_fast) = casefold(n.name collate pg_unicode_fast)
  where g.organization_id = :organizationId and g.deleted_at is null`;
