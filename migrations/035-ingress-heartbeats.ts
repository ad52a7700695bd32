import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table ingress_heartbeats (
      ingress text not null,
      beat_at timestamptz not null,
      constraint ingress_heartbeats_pkey primary key (ingress),
      constraint ingress_heartbeats_ingress_check check (ingress in ('api', 'gateway'))
    );
    comment on table ingress_heartbeats is
      'When each ingress for devices was last open, one row per kind of process. Of the service itself, not of an '
      'organization; on Citus a reference table.';
    comment on column ingress_heartbeats.ingress is 'api: HTTP; gateway: CoAP.';
    comment on column ingress_heartbeats.beat_at is 'On the clock of the database, the same for all machines.'`);

export const down = (sql: Knex) => sql.raw('drop table ingress_heartbeats');
