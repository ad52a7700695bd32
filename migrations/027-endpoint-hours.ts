import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table endpoint_hours (
      organization_id uuid not null,
      endpoint_id uuid not null,
      slot smallint not null,
      hour timestamptz not null,
      delivered integer not null,
      failed integer not null,
      duration_ms bigint not null,
      duration_max_ms integer not null,
      constraint endpoint_hours_pkey primary key (organization_id, endpoint_id, slot),
      constraint endpoint_hours_slot_check check (slot between 0 and 167)
    ) with (fillfactor = 50);
    comment on table endpoint_hours is
      'Attempts of an endpoint per hour, of the last week: each hour of the week has one row, which is begun anew. '
      'Written with endpoints.last_attempt_at; what a process that was killed had not written is not counted.';
    comment on column endpoint_hours.slot is 'The hour modulo 168.';
    comment on column endpoint_hours.hour is 'Its beginning. A row of more than a week ago was not written since.';
    comment on column endpoint_hours.failed is 'Attempts that the receiver did not take, retries among them.';
    comment on column endpoint_hours.duration_ms is 'Of all attempts, added up.'`);

export const down = (sql: Knex) => sql.raw('drop table endpoint_hours');
