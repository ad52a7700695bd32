import type { Knex } from 'knex';

/**
 * Partitions are created ahead by day and dropped by age (src/db/partitions.ts). Every index slows down each
 * delivery, so there are only those that claims need, and those for states that few deliveries have.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table deliveries (
      organization_id uuid not null,
      endpoint_id uuid not null,
      id uuid not null default uuidv7(),
      event_id uuid not null,
      event_type text not null,
      state text not null,
      attempt_count integer not null default 0,
      schedule_step smallint not null default 0,
      send_immediately boolean not null default false,
      next_attempt_at timestamptz,
      leased_until timestamptz,
      last_status_code integer,
      last_error text,
      updated_at timestamptz not null default now(),
      delivered_at timestamptz,
      first_attempt_duration_ms integer,
      first_attempt_excerpt text,
      leased_by uuid,
      constraint deliveries_pkey primary key (organization_id, endpoint_id, id),
      constraint deliveries_attempt_count_check check (attempt_count >= 0),
      constraint deliveries_schedule_step_check check (schedule_step >= 0),
      constraint deliveries_state_check check
        (state in ('pending', 'sending', 'delivered', 'retrying', 'failed', 'blocked', 'cancelled'))
    ) partition by range (id);
    create index deliveries_pending_idx on deliveries (organization_id, endpoint_id, id) where state = 'pending';
    create index deliveries_retrying_idx on deliveries (organization_id, endpoint_id, next_attempt_at)
      where state = 'retrying';
    create index deliveries_retrying_by_age_idx on deliveries (organization_id, endpoint_id, id)
      where state = 'retrying';
    create index deliveries_leases_idx on deliveries (leased_until) where state = 'sending';
    create index deliveries_rare_idx on deliveries (organization_id, endpoint_id, state, id)
      where state in ('failed', 'blocked', 'cancelled');
    create index deliveries_immediate_idx on deliveries (organization_id, endpoint_id, id)
      where state = 'retrying' and send_immediately;
    comment on table deliveries is
      'The outbox: one row per event and endpoint, written in the transaction of what happened. Partitioned by day '
      'of the UUIDv7 id. No foreign keys: rows leave with their partition, and deleting an endpoint cancels its '
      'deliveries.';
    comment on column deliveries.state is
      'sending: leased by a dispatcher; the API shows it as pending. Deliveries to a disabled endpoint stay pending '
      'or retrying, and the API shows them as held. blocked: the address is not allowed.';
    comment on column deliveries.attempt_count is 'All attempts that were made.';
    comment on column deliveries.schedule_step is
      'Attempts of the current retry schedule; a resend or a replay begins a new one.';
    comment on column deliveries.send_immediately is
      'True: one attempt was asked for, whatever the health of the endpoint.';
    comment on column deliveries.next_attempt_at is 'Null unless another attempt is planned.';
    comment on column deliveries.leased_until is
      'Until when the dispatcher that claimed the delivery may work on it; then another may take it. Null: not '
      'claimed.';
    comment on column deliveries.last_status_code is 'HTTP status of the last attempt. Null: none yet, or no answer.';
    comment on column deliveries.last_error is
      'What went wrong in the last attempt, as text that names no internal address. Null: nothing.';
    comment on column deliveries.delivered_at is
      'Time of a first attempt that succeeded. Such an attempt, which is the usual case, is stored here instead of '
      'in delivery_attempts, and moves there when another attempt follows. Else null, also for later successes.';
    comment on column deliveries.first_attempt_duration_ms is 'Null where delivered_at is.';
    comment on column deliveries.first_attempt_excerpt is 'Beginning of the answer to it, escaped. Null: no body.';
    comment on column deliveries.leased_by is 'The process that claimed the delivery. Null: not claimed.';
    comment on index deliveries_leases_idx is
      'Without organization_id: the worker releases expired leases of all organizations at once.'`);

export const down = (sql: Knex) => sql.raw('drop table deliveries');
