import type { Knex } from 'knex';

/**
 * What happened, serialised once however many endpoints are told. Ids are UUIDv7, so ranges of ids are ranges of time:
 * partitions are made ahead by day and dropped by age (src/db/partitions.ts).
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table webhook_events (
      id uuid not null,
      organization_id uuid not null,
      type text not null,
      body text not null,
      constraint webhook_events_pkey primary key (id)
    ) partition by range (id)`);

export const down = (sql: Knex) => sql.raw('drop table webhook_events');
