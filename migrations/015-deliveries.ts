import type { Knex } from 'knex';

/**
 * The outbox: one row per event and endpoint, written in the transaction of the fact. `schedule_step` counts the
 * attempts of the schedule, `attempt_count` all that were made; `urgent` asks for one attempt now, whatever the health
 * of the endpoint. No foreign keys: rows leave by partition, and an endpoint that is deleted cancels its own.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table deliveries (
      id uuid not null default uuidv7(),
      webhook_id uuid not null,
      organization_id uuid not null,
      event_id uuid not null,
      event_type text not null,
      state text not null,
      attempt_count integer not null default 0,
      schedule_step smallint not null default 0,
      urgent boolean not null default false,
      next_attempt_at timestamptz,
      leased_until timestamptz,
      last_status_code integer,
      last_error text,
      updated_at timestamptz not null default now(),
      constraint deliveries_pkey primary key (webhook_id, id),
      constraint deliveries_state_check check
        (state in ('pending', 'sending', 'delivered', 'retrying', 'held', 'failed', 'blocked', 'cancelled'))
    ) partition by range (id);
    create index deliveries_pending on deliveries (webhook_id, id) where state = 'pending';
    create index deliveries_retrying on deliveries (webhook_id, next_attempt_at) where state = 'retrying';
    create index deliveries_retrying_by_age on deliveries (webhook_id, id) where state = 'retrying';
    create index deliveries_leases on deliveries (leased_until) where state = 'sending'`);

export const down = (sql: Knex) => sql.raw('drop table deliveries');
