/** As text, because batches of messages run them for all configurations of their devices at once. */

export const FIND = `
  select c.id, c.content
  from unnest(:organizationIds::uuid[], :ids::uuid[]) as n (organization_id, id)
  join configurations c on c.organization_id = n.organization_id and c.id = n.id`;

export const INSERT = `
  with n as materialized (
    select * from unnest(:organizationIds::uuid[], :ids::uuid[], :contents::json[]) as n (organization_id, id, content)
  ), used as (
    update configurations c set last_used_at = now() from n
    where c.organization_id = n.organization_id and c.id = n.id and c.last_used_at < now() - interval '1 day'
    returning c.id
  )
  insert into configurations (organization_id, id, content)
  select organization_id, id, content from n where id not in (select id from used)
  order by organization_id, id on conflict do nothing`;
