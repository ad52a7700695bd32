/** Text, because it looks up a set of names, each as given. */

/** Groups with one of `:names`, compared without case. */
export const FIND_BY_NAMES = `
  select n.name, g.id from unnest(:names::text[]) as n (name)
  join groups g on casefold(g.name collate pg_unicode_fast) = casefold(n.name collate pg_unicode_fast)
  where g.organization_id = :organizationId and g.deleted_at is null`;
