import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table delivery_attempts (
      organization_id uuid not null,
      delivery_id uuid not null,
      attempt_number integer not null,
      attempted_at timestamptz not null,
      duration_ms integer not null,
      status_code integer,
      error text,
      response_excerpt text,
      constraint delivery_attempts_pkey primary key (organization_id, delivery_id, attempt_number),
      constraint delivery_attempts_attempt_number_check check (attempt_number >= 1),
      constraint delivery_attempts_duration_ms_check check (duration_ms >= 0)
    ) partition by range (delivery_id);
    comment on table delivery_attempts is
      'Attempts of deliveries, but for a first one that succeeded (see deliveries.delivered_at). Partitioned like '
      'deliveries, by day of the UUIDv7 id of the delivery. No foreign key: rows leave with their partition.';
    comment on column delivery_attempts.status_code is 'HTTP status. Null: no answer.';
    comment on column delivery_attempts.error is
      'What went wrong, as text that names no internal address. Null: nothing.';
    comment on column delivery_attempts.response_excerpt is
      'Beginning of the answer, at most 1 KiB, escaped. Null: no answer.'`);

export const down = (sql: Knex) => sql.raw('drop table delivery_attempts');
