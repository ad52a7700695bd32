import type { Knex } from 'knex';

/**
 * Partitions are created ahead by day and dropped by age (src/db/partitions.ts). PostgreSQL wants the partition key
 * in the primary key; it comes after organization_id, by which Citus can distribute the table.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table events (
      organization_id uuid not null,
      id uuid not null,
      type text not null,
      body text not null,
      trace text,
      serial_number text,
      constraint events_pkey primary key (organization_id, id)
    ) partition by range (id);
    comment on table events is
      'What happened, serialised once for all endpoints that it is delivered to. Partitioned by day: ids are '
      'UUIDv7, so a range of ids is a range of times. No foreign key: rows leave with their partition.';
    comment on column events.body is 'JSON text exactly as it is signed and sent.';
    comment on column events.trace is
      'The traceparent (W3C Trace Context) of the request or message that it follows from. Null: traces are off.';
    comment on column events.serial_number is 'Of the device that it is about. Null: about none.'`);

export const down = (sql: Knex) => sql.raw('drop table events');
