/** Records attempts: on the deliveries themselves, and in delivery_attempts. */
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { RecordedAttempt } from './delivery.ts';

export type AttemptsRepository = ReturnType<typeof createAttemptsRepository>;

/** Whether this process still holds the claim for this attempt. */
const IS_CLAIMED = 'd.leased_by = ? and d.attempt_count = a.attempt_number - 1';
/** A success is kept even after its lease expired and another attempt was made. */
const IS_LATE_SUCCESS = `a.state = 'delivered' and d.state in ('pending', 'sending', 'retrying', 'failed')`;
const IS_FIRST_SUCCESS = `a.state = 'delivered' and d.attempt_count = 0`;

/** Records attempts that the owner, a process, has claimed. */
export function createAttemptsRepository(sql: Sql, ownerId: string) {
  return {
    /**
     * Records all attempts or none, in one statement. An attempt whose lease has expired changes nothing
     * unless it succeeded. A successful first attempt is stored on the delivery itself; it gets a row in
     * delivery_attempts when another attempt follows.
     */
    async record(attempts: RecordedAttempt[]): Promise<void> {
      const column = <T>(value: (attempt: RecordedAttempt) => T) => attempts.map(value);
      await queryPrepared(
        sql,
        'deliveries_record_attempts',
        // Compares the lease and not the state: with a condition on the state alone, the planner would scan
        // the index of that state from its beginning.
        `with a as (
           select * from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::integer[], ?::timestamptz[], ?::integer[], ?::integer[],
             ?::text[], ?::text[], ?::text[], ?::smallint[], ?::timestamptz[])
           as a (organization_id, endpoint_id, delivery_id, attempt_number, attempted_at, duration_ms, status_code, error,
             response_excerpt, state, schedule_step, next_attempt_at)
         ), recorded as (
           update deliveries d set
             state = a.state, attempt_count = d.attempt_count + 1, schedule_step = a.schedule_step,
             leased_until = null, leased_by = null, send_immediately = false, next_attempt_at = a.next_attempt_at,
             last_status_code = a.status_code, last_error = a.error, updated_at = now(),
             delivered_at = case when ${IS_FIRST_SUCCESS} then a.attempted_at end,
             first_attempt_duration_ms = case when ${IS_FIRST_SUCCESS} then a.duration_ms end,
             first_attempt_excerpt = case when ${IS_FIRST_SUCCESS} then a.response_excerpt end
           from a
           where d.organization_id = a.organization_id and d.endpoint_id = a.endpoint_id and d.id = a.delivery_id
             and (${IS_CLAIMED} or ${IS_LATE_SUCCESS})
           returning d.organization_id, d.id as delivery_id, d.attempt_count as attempt_number, a.attempted_at,
             a.duration_ms, a.status_code, a.error, a.response_excerpt, d.delivered_at,
             old.delivered_at as first_at, old.first_attempt_duration_ms as first_duration_ms,
             old.last_status_code as first_status_code, old.first_attempt_excerpt as first_excerpt
         )
         insert into delivery_attempts
           (organization_id, delivery_id, attempt_number, attempted_at, duration_ms, status_code, error, response_excerpt)
         select organization_id, delivery_id, attempt_number, attempted_at, duration_ms, status_code, error,
           response_excerpt
         from recorded where delivered_at is null
         union all
         select organization_id, delivery_id, 1, first_at, first_duration_ms, first_status_code, null, first_excerpt
         from recorded where first_at is not null
         on conflict do nothing`,
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
          ownerId,
        ],
      );
    },
  };
}
