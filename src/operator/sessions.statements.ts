/** Text, because it changes several rows at once: the session itself, and those that end in its place. */

/** Neither link nor session outlives the key or the session that asked for it. The row goes with that of the session. */
export const STILL_WORKS = `(s.key_id is null or exists (
    select from api_keys k where k.organization_id = s.organization_id and k.id = s.key_id
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > :now)
  )) and (s.invited_by is null or exists (
    select from operator_sessions i where i.organization_id = s.organization_id and i.id = s.invited_by
      and i.expires_at > :now
  ))`;

/** Makes a link invalid, and ends the oldest sessions beyond `:others`. */
export const START_SESSION = `
  with begun as (
    update operator_sessions s set started_at = :now, expires_at = least(:until, (
      select i.expires_at from operator_sessions i
      where i.organization_id = s.organization_id and i.id = s.invited_by
    ))
    where s.organization_id = :organizationId and s.id = :id and s.link_hash = :hash and s.started_at is null
      and s.link_expires_at > :now and ${STILL_WORKS}
    returning s.*
  ), ended as (
    delete from operator_sessions
    where organization_id = :organizationId and exists (select from begun) and id in (
      select id from operator_sessions where organization_id = :organizationId and started_at is not null
      order by started_at desc, id desc offset :others
    )
  )
  select begun.*, o.name as organization_name from begun join organizations o on o.id = begun.organization_id`;
