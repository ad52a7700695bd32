/**
 * Text: claims and outcomes, which change two tables or skip locked rows, and statements over the channels of
 * all organizations.
 */

/** No lease lasts an hour: one that ends later was begun while the clock of the database was ahead. */
const HOLDS = "between now() and now() + interval '1 hour'";
const IS_DUE = `state = 'pending' and next_attempt_at <= :now::timestamptz
  and (leased_until is null or leased_until not ${HOLDS})`;
/** A step that is not gathered has no time. */
const IS_WAITING_STEP = `state = 'pending' and next_attempt_at is null`;

/** Messages of the channel `c`. */
const OF_CHANNEL = 'from notifications m where m.organization_id = c.organization_id and m.channel_id = c.id';

/** Another process sends a message about an alert that `m` names, which `m` could overtake. */
const MAY_OVERTAKE = `exists (
    select 1 from notifications s cross join lateral jsonb_array_elements(s.content #> '{data,alerts}') as named (mention)
    where s.organization_id = m.organization_id and s.channel_id = m.channel_id and s.state = 'pending'
      and s.leased_until ${HOLDS} and m.content @> jsonb_build_object('data', jsonb_build_object('alerts',
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

/** Without a lock. Steps may wait for the interval of their gathering. */
export const FIND_WAITING = `
  select exists (select 1 ${OF_CHANNEL} and ${IS_WAITING_STEP}) as "hasSteps",
    exists (select 1 ${OF_CHANNEL} and ${IS_DUE}) as "isDue"
  from notification_channels c where c.organization_id = :organizationId and c.id = :channelId`;

/** The attempt of a process that died counts, because the message may have arrived. */
export const CLAIM = `
  with claimed as (
    update notifications set leased_by = :ownerId, leased_until = now() + make_interval(secs => :leaseSeconds),
      attempt_count = attempt_count + (leased_by is not null)::integer
    where organization_id = :organizationId and id = (
      select id from notifications m
      where organization_id = :organizationId and channel_id = :channelId and ${IS_DUE}
        and (is_escalation or not :isForEscalations) and not ${MAY_OVERTAKE}
      order by is_escalation desc, next_attempt_at, id limit 1 for update skip locked
    ) returning *
  )
  select m.organization_id as "organizationId", m.channel_id as "channelId", m.id, m.content,
    m.attempt_count as "attemptCount", m.is_escalation as "isEscalation", m.created_at as "createdAt", c.type, c.target,
    c.sealed_target as "sealedTarget", c.secret
  from claimed m cross join lateral (
    select * from notification_channels
    where organization_id = m.organization_id and id = m.channel_id and status = 'active' and is_confirmed limit 1
  ) as c`;

export const RECORD = `
  with recorded as (
    update notifications set state = :state, attempt_count = attempt_count + 1, next_attempt_at = :nextAttemptAt,
      last_error = :error, sent_at = :sentAt, leased_by = null, leased_until = null
    where organization_id = :organizationId and id = :id and leased_by = :ownerId returning organization_id, channel_id
  )
  update notification_channels c set last_sent_at = coalesce(:sentAt, c.last_sent_at), last_error = :error
  from recorded r where c.organization_id = r.organization_id and c.id = r.channel_id
    and c.organization_id = :organizationId and c.id = :channelId`;

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
  ) as due
  where c.status = 'active' and c.is_confirmed`;
