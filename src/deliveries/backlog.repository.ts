/**
 * Backlog that is not queued yet. A replay is one row for a span of any size. The drain of its endpoint
 * queues the deliveries in parts, each after the one before is sent, so no request and no transaction grows
 * with the span.
 */
import type { Knex } from 'knex';
import { countRows } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';
import type { StoredState } from './delivery.ts';

interface ReplaySpan {
  firstId: string;
  /** The first id after the span. */
  endId: string;
  states: StoredState[];
}

const COUNTED_MAX = 100_000;
const QUEUED_PER_STATEMENT = 1_000;
/** No index has delivered ones: rows that one statement reads at most of a replay of them. */
const READ_PER_STATEMENT = 10_000;

const IN_SPAN =
  'd.organization_id = r.organization_id and d.endpoint_id = r.endpoint_id and d.id >= r.next_id';
/** The state is older than the replay, so deliveries that the replay itself has queued do not match again. */
const REPLAYABLE = `${IN_SPAN} and d.id < step.end_id and d.updated_at <= r.created_at
  order by d.id limit ${QUEUED_PER_STATEMENT}`;

export type BacklogRepository = ReturnType<typeof createBacklogRepository>;

export function createBacklogRepository(sql: Database) {
  const isLong = async (rows: Knex.QueryBuilder): Promise<boolean> =>
    (await rows.clone().orderBy('id').offset(COUNTED_MAX).first('id')) !== undefined;

  return {
    /**
     * Stores the replay unless nothing matches; null then. Returns the number of matches, counted up to 100,000; delivered
     * ones among as many of any state, so it may be none where more follow.
     */
    async requestReplay(endpoint: EndpointRef, span: ReplaySpan): Promise<number | null> {
      const { firstId, endId, states } = span;
      const own = { organization_id: endpoint.organizationId, endpoint_id: endpoint.endpointId };
      // As the replay will find them: what is recorded meanwhile is newer, and not sent again.
      const ofSpan = 'id >= ? and id < ? and updated_at <= now()';
      const inSpan = sql('deliveries').where(own).whereRaw(ofSpan, [firstId, endId]);
      const first = inSpan.clone().select('state').orderBy('id').limit(COUNTED_MAX).as('first');
      const matching = states.map((state) => {
        const read: Knex.QueryBuilder = state === 'delivered' ? sql.from(first) : inSpan.clone();
        return sql.from(read.where({ state }).select(sql.raw('1')).limit(COUNTED_MAX).as('of_state'));
      });
      const counted = sql.unionAll(matching, true).limit(COUNTED_MAX).as('counted');
      const count = await countRows(sql.from(counted));
      if (count === 0 && !(states.includes('delivered') && (await isLong(inSpan)))) return null;
      await sql('delivery_replays').insert({ ...own, next_id: firstId, end_id: endId, states });
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
           select * from delivery_replays where organization_id = ? and endpoint_id = ? order by id limit 1 for update
         ), step as materialized (
           select coalesce((
             select d.id from deliveries d where 'delivered' = any(r.states) and ${IN_SPAN} and d.id < r.end_id
             order by d.id offset ${READ_PER_STATEMENT} limit 1
           ), r.end_id) as end_id from r
         ), chosen as materialized (
           select found.id from r cross join step cross join lateral (
             (select d.id from deliveries d where 'failed' = any(r.states) and d.state = 'failed' and ${REPLAYABLE})
             union all
             (select d.id from deliveries d where 'blocked' = any(r.states) and d.state = 'blocked' and ${REPLAYABLE})
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
           delete from delivery_replays p using r, step
           where p.organization_id = r.organization_id and p.endpoint_id = r.endpoint_id and p.id = r.id
             and (select count(*) from chosen) < ${QUEUED_PER_STATEMENT} and step.end_id = r.end_id
         ), continued as (
           update delivery_replays p
           set next_id = case when (select count(*) from chosen) < ${QUEUED_PER_STATEMENT} then step.end_id
             else (select id from chosen order by id desc limit 1) end
           from r, step
           where p.organization_id = r.organization_id and p.endpoint_id = r.endpoint_id and p.id = r.id
             and ((select count(*) from chosen) = ${QUEUED_PER_STATEMENT} or step.end_id < r.end_id)
         )
         select 1 from r`,
        [endpoint.organizationId, endpoint.endpointId],
      );
      return rows.length > 0;
    },
  };
}
