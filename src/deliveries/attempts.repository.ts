/** Records attempts: on the deliveries themselves, and in delivery_attempts. */
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { EndpointRef, LAST_STATUSES } from '../endpoints/endpoint.ts';

export interface RecordedAttempt extends EndpointRef {
  deliveryId: string;
  attemptNumber: number;
  attemptedAt: Date;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  responseExcerpt: string | null;
  state: (typeof LAST_STATUSES)[number];
  scheduleStep: number;
  nextAttemptAt: Date | null;
}

export type AttemptsRepository = ReturnType<typeof createAttemptsRepository>;

export function createAttemptsRepository(sql: Sql) {
  return {
    /**
     * In one statement: all of them or none. A first attempt that succeeds is stored on the
     * delivery itself; it gets its row in delivery_attempts when another attempt follows.
     */
    async record(attempts: RecordedAttempt[]): Promise<void> {
      const column = <T>(value: (attempt: RecordedAttempt) => T) => attempts.map(value);
      await queryPrepared(
        sql,
        'deliveries_record_attempts',
        `with a as (
           select * from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::integer[], ?::timestamptz[], ?::integer[], ?::integer[],
             ?::text[], ?::text[], ?::text[], ?::smallint[], ?::timestamptz[])
           as a (organization_id, endpoint_id, delivery_id, attempt_number, attempted_at, duration_ms, status_code, error,
             response_excerpt, state, schedule_step, next_attempt_at)
         ), stored as (
           insert into delivery_attempts
             (organization_id, delivery_id, attempt_number, attempted_at, duration_ms, status_code, error, response_excerpt)
           select organization_id, delivery_id, attempt_number, attempted_at, duration_ms, status_code, error,
             response_excerpt
           from a where not (attempt_number = 1 and state = 'delivered')
           union all
           select d.organization_id, d.id, 1, d.delivered_at, d.first_attempt_duration_ms, d.last_status_code, null,
             d.first_attempt_excerpt
           from a join deliveries d
             on d.organization_id = a.organization_id and d.endpoint_id = a.endpoint_id and d.id = a.delivery_id
           where a.attempt_number > 1 and d.delivered_at is not null
           on conflict do nothing
         )
         update deliveries d set
           state = case when a.state = 'retrying' and ep.status = 'disabled' then 'held' else a.state end,
           attempt_count = a.attempt_number, schedule_step = a.schedule_step, leased_until = null,
           next_attempt_at = case ep.status when 'disabled' then null else a.next_attempt_at end,
           last_status_code = a.status_code, last_error = a.error, updated_at = now(),
           delivered_at = case when a.is_first_success then a.attempted_at end,
           first_attempt_duration_ms = case when a.is_first_success then a.duration_ms end,
           first_attempt_excerpt = case when a.is_first_success then a.response_excerpt end
         from (select *, attempt_number = 1 and state = 'delivered' as is_first_success from a) as a
         left join endpoints ep on ep.organization_id = a.organization_id and ep.id = a.endpoint_id
         -- A leased delivery is in state 'sending'. With a condition on the state, the planner would read the index of
         -- that state from its beginning instead of these rows.
         where d.organization_id = a.organization_id and d.endpoint_id = a.endpoint_id and d.id = a.delivery_id
           and d.leased_until is not null`,
        [
          column((each) => each.organizationId),
          column((each) => each.endpointId),
          column((each) => each.deliveryId),
          column((each) => each.attemptNumber),
          column((each) => each.attemptedAt.toISOString()),
          column((each) => each.durationMs),
          column((each) => each.statusCode),
          column((each) => each.error),
          column((each) => each.responseExcerpt),
          column((each) => each.state),
          column((each) => each.scheduleStep),
          column((each) => each.nextAttemptAt?.toISOString() ?? null),
        ],
      );
    },
  };
}
