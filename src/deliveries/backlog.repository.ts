/**
 * Backlog that is not queued yet. A replay is one row for a span of any size. The drain of its endpoint
 * queues the deliveries in parts, each after the one before is sent, so no request and no transaction grows
 * with the span.
 */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';

export interface ReplaySpan {
  firstId: string;
  /** The first id after the span. */
  endId: string;
  states: string[];
}

const COUNTED_MAX = 100_000;
const QUEUED_PER_STATEMENT = 1_000;
const OF_ENDPOINT = 'organization_id = ? and endpoint_id = ?';
const IN_SPAN = `${OF_ENDPOINT} and id >= ? and id < ? limit ${COUNTED_MAX}`;
const toBindings = ({ organizationId, endpointId }: EndpointRef) => [organizationId, endpointId];

/** The state is older than the replay, so deliveries that the replay itself has queued do not match again. */
const REPLAYABLE = `d.organization_id = r.organization_id and d.endpoint_id = r.endpoint_id and d.id >= r.next_id
  and d.id < r.end_id and d.updated_at <= r.created_at order by d.id limit ${QUEUED_PER_STATEMENT}`;

export type BacklogRepository = ReturnType<typeof createBacklogRepository>;

export function createBacklogRepository(sql: Sql) {
  return {
    /** Stores the replay unless nothing matches. Returns the number of matches, counted up to 100,000. */
    async requestReplay(endpoint: EndpointRef, { firstId, endId, states }: ReplaySpan): Promise<number> {
      const part = [states, ...toBindings(endpoint), firstId, endId];
      const [row] = await query<{ count: number }>(
        sql,
        `select count(*) from (
           (select 1 from deliveries where 'failed' = any(?) and state = 'failed' and ${IN_SPAN})
           union all (select 1 from deliveries where 'blocked' = any(?) and state = 'blocked' and ${IN_SPAN})
           union all (select 1 from deliveries where 'cancelled' = any(?) and state = 'cancelled' and ${IN_SPAN})
           union all (select 1 from deliveries where 'delivered' = any(?) and state = 'delivered' and ${IN_SPAN})
           limit ${COUNTED_MAX}
         ) as counted`,
        [...part, ...part, ...part, ...part],
      );
      const count = row?.count ?? 0;
      if (count === 0) return 0;
      await query(
        sql,
        `insert into delivery_replays (organization_id, endpoint_id, next_id, end_id, states) values (?, ?, ?, ?, ?)`,
        [...toBindings(endpoint), firstId, endId, states],
      );
      return count;
    },

    /**
     * Queues the next deliveries of the oldest replay, each with the whole retry schedule. Returns false when there is no
     * replay.
     */
    async queueReplay(endpoint: EndpointRef): Promise<boolean> {
      const rows = await query(
        sql,
        `with r as materialized (
           select * from delivery_replays where ${OF_ENDPOINT} order by id limit 1 for update
         ), chosen as materialized (
           select found.id from r cross join lateral (
             (select d.id from deliveries d where 'failed' = any(r.states) and d.state = 'failed' and ${REPLAYABLE})
             union all
             (select d.id from deliveries d where 'blocked' = any(r.states) and d.state = 'blocked' and ${REPLAYABLE})
             union all
             (select d.id from deliveries d where 'cancelled' = any(r.states) and d.state = 'cancelled' and ${REPLAYABLE})
             union all
             (select d.id from deliveries d where 'delivered' = any(r.states) and d.state = 'delivered' and ${REPLAYABLE})
             order by id limit ${QUEUED_PER_STATEMENT}
           ) as found
         ), queued as (
           update deliveries d set state = 'retrying', schedule_step = 0, next_attempt_at = now(), updated_at = now()
           from chosen, r
           where d.organization_id = r.organization_id and d.endpoint_id = r.endpoint_id and d.id = chosen.id
             and d.state = any(r.states)
         ), ended as (
           delete from delivery_replays p using r
           where p.organization_id = r.organization_id and p.endpoint_id = r.endpoint_id and p.id = r.id
             and (select count(*) from chosen) < ${QUEUED_PER_STATEMENT}
         ), continued as (
           update delivery_replays p set next_id = (select id from chosen order by id desc limit 1) from r
           where p.organization_id = r.organization_id and p.endpoint_id = r.endpoint_id and p.id = r.id
             and (select count(*) from chosen) = ${QUEUED_PER_STATEMENT}
         )
         select 1 from r`,
        toBindings(endpoint),
      );
      return rows.length > 0;
    },
  };
}
