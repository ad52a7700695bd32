/** Text: bounded counts of the queue of each endpoint of a page, and its first rows. */
import { HEALTH_STATE } from './shown-health.ts';

const COUNTED_MAX = 10_000;
const OF_ENDPOINT = 'organization_id = ep.organization_id and endpoint_id = ep.id';

export const LIST = `
  select ep.id as "endpointId", ${HEALTH_STATE} as state,
    case ${HEALTH_STATE}
      when 'disabled' then coalesce(ep.disabled_at, ep.updated_at)
      when 'recovering' then coalesce(ep.draining_since, ep.recovered_at, ep.enabled_at, ep.updated_at)
      when 'failing' then coalesce(ep.failing_since, ep.last_attempt_at, ep.updated_at) end as since,
    q.backlog, oldest.at as "oldestPendingAt",
    case when ep.status = 'disabled' then null when ep.breaker = 'open' then ep.next_probe_at
      else n.next_attempt_at end as "nextAttemptAt"
  from endpoints ep
  cross join lateral (
    select count(*) as backlog from (
      select from (
        (select 1 from deliveries where ${OF_ENDPOINT} and state = 'pending' order by id limit ${COUNTED_MAX})
        union all
        (select 1 from deliveries where ${OF_ENDPOINT} and state = 'retrying' order by id limit ${COUNTED_MAX})
      ) as waiting limit ${COUNTED_MAX}
    ) as counted
  ) as q
  cross join lateral (
    select least(
      (select uuid_extract_timestamp(id) from deliveries
        where ${OF_ENDPOINT} and state = 'pending' order by id limit 1),
      (select uuid_extract_timestamp(id) from deliveries
        where ${OF_ENDPOINT} and state = 'retrying' order by id limit 1)) as at
  ) as oldest
  left join lateral (
    select next_attempt_at from deliveries where ${OF_ENDPOINT} and state = 'retrying'
    order by next_attempt_at limit 1
  ) as n on true
  where ep.organization_id = :organizationId and ep.id = any(:endpointIds::uuid[])`;
