import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table delivery_attempts (
      delivery_id uuid not null,
      number integer not null,
      at timestamptz not null,
      duration_ms integer not null,
      status_code integer,
      error text,
      response_excerpt text,
      constraint delivery_attempts_pkey primary key (delivery_id, number)
    ) partition by range (delivery_id)`);

export const down = (sql: Knex) => sql.raw('drop table delivery_attempts');
