import type { Knex } from 'knex';

/**
 * When each way in for devices was open last, a row for each kind of process, and when none of that kind was there.
 * The clock is the database's: one for all machines.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table listeners (
      name text not null,
      seen_at timestamptz not null,
      constraint listeners_pkey primary key (name)
    );
    create table listening_gaps (
      listener text not null,
      began_at timestamptz not null,
      ended_at timestamptz not null,
      constraint listening_gaps_pkey primary key (listener, began_at)
    )`);

export const down = (sql: Knex) => sql.raw('drop table listening_gaps; drop table listeners');
