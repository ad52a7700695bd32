import type { Knex } from 'knex';

/**
 * Most deliveries get through at the first attempt: that one is told by the delivery itself and needs no row of its own.
 * It gets one when another attempt follows. All three are null for deliveries whose attempts all have rows.
 */
export const up = (sql: Knex) =>
  sql.raw(`alter table deliveries add column delivered_at timestamptz, add column delivered_in_ms integer,
    add column delivered_excerpt text`);

export const down = (sql: Knex) =>
  sql.raw(`
    insert into delivery_attempts (delivery_id, number, at, duration_ms, status_code, response_excerpt)
    select id, 1, delivered_at, delivered_in_ms, last_status_code, delivered_excerpt
    from deliveries where delivered_at is not null;
    alter table deliveries drop column delivered_at, drop column delivered_in_ms, drop column delivered_excerpt`);
