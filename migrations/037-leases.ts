import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table leases (
      name text not null,
      owner uuid not null,
      leased_until timestamptz not null,
      constraint leases_pkey primary key (name)
    );
    comment on table leases is
      'Work that one process at a time does, one row each. Of the service itself, not of an organization; on Citus '
      'a reference table.';
    comment on column leases.owner is 'Chosen by the process when it started.';
    comment on column leases.leased_until is
      'On the clock of the database. A process that does not renew the lease by then has lost it.'`);

export const down = (sql: Knex) => sql.raw('drop table leases');
