/** Text: statements over the channels of all organizations, each with look-ups in the order of an index. */

/** No lease lasts an hour: one that ends later was begun while the clock of the database was ahead. */
const HOLDS = "between now() and now() + interval '1 hour'";
export const IS_DUE = `state = 'pending' and next_attempt_at <= :now::timestamptz
  and (leased_until is null or leased_until not ${HOLDS})`;
/** A step that is not gathered has no time. */
export const IS_WAITING_STEP = `state = 'pending' and next_attempt_at is null`;

export const HAS_ENDED = `state <> 'pending' and created_at < :before`;

/** Messages of the channel `c`. */
const OF_CHANNEL = 'from notifications m where m.organization_id = c.organization_id and m.channel_id = c.id';

/** No process sends a message about an alert that the notification names, which it could overtake. */
export const OVERTAKES_NONE = `not exists (
    select 1 from notifications s cross join lateral jsonb_array_elements(s.content #> '{data,alerts}') as named (mention)
    where s.organization_id = :organizationId and s.channel_id = :channelId and s.state = 'pending'
      and s.leased_until ${HOLDS} and notifications.content @> jsonb_build_object('data', jsonb_build_object('alerts',
        jsonb_build_array(jsonb_build_object('alert', jsonb_build_object('id', named.mention -> 'alert' -> 'id')))))
  )`;

/** Whether the channel may gather again. A time that is still to come is of a clock that was ahead. */
export const isOutsideInterval = (gatheredAt: string): string =>
  `(${gatheredAt} > :gatheredBefore::timestamptz and ${gatheredAt} <= :now::timestamptz) is not true`;

/** Channels with steps of escalations come first, so that these find a place. */
export const LIST_DUE_CHANNELS = `
  select c.organization_id as "organizationId", c.id as "channelId", c.type, c.target from notification_channels c
  where c.status = 'active' and c.is_confirmed and (
    (
      ${isOutsideInterval('c.gathered_at')} and (
        select 1 from notification_alerts q
        where q.organization_id = c.organization_id and q.channel_id = c.id and q.due_at <= :now::timestamptz
        order by q.due_at limit 1
      ) is not null
    )
    or (
      select 1 ${OF_CHANNEL} and ${IS_DUE}
      order by m.next_attempt_at limit 1
    ) is not null
    or (
      ${isOutsideInterval('c.steps_gathered_at')} and (
        select 1 ${OF_CHANNEL} and ${IS_WAITING_STEP} limit 1
      ) is not null
    )
  )
  order by (
    select 1 ${OF_CHANNEL} and m.is_escalation and m.state = 'pending'
      and coalesce(m.next_attempt_at, m.created_at) <= :now::timestamptz limit 1
  )`;

export const REMOVE_ENDED = `
  with locked as (
    select m.organization_id, m.id from unnest(:organizationIds::uuid[], :ids::uuid[]) as n (organization_id, id)
    join notifications m on m.organization_id = n.organization_id and m.id = n.id
    where ${HAS_ENDED} for update of m skip locked
  )
  delete from notifications m using locked l where m.organization_id = l.organization_id and m.id = l.id returning 1`;

/** An e-mail that was tried counts until it is sent: while the mail server is away, each waits for its next attempt. */
export const FIND_OLDEST_MESSAGE = `
  select coalesce(max(extract(epoch from :now::timestamptz - due.at)), 0)::float8 as seconds
  from notification_channels c cross join lateral (
    (
      select next_attempt_at as at ${OF_CHANNEL} and m.state = 'pending'
        and m.next_attempt_at <= :now::timestamptz
      order by next_attempt_at limit 1
    )
    union all
    select min(created_at) ${OF_CHANNEL} and ${IS_WAITING_STEP}
    union all
    select min(created_at) ${OF_CHANNEL} and c.type = 'email' and m.state = 'pending' and m.attempt_count > 0
      -- While others get theirs, one address is refused, and no mail server is away.
      and created_at > coalesce(
        (select max(last_sent_at) from notification_channels where type = 'email'), '-infinity'::timestamptz)
  ) as due
  where c.status = 'active' and c.is_confirmed`;
