import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table ingress_outages (
      ingress text not null,
      started_at timestamptz not null,
      ended_at timestamptz not null,
      constraint ingress_outages_pkey primary key (ingress, started_at),
      constraint ingress_outages_ingress_check check (ingress in ('api', 'gateway')),
      constraint ingress_outages_period_check check (ended_at >= started_at)
    );
    comment on table ingress_outages is
      'When no process of a kind was running, so that devices could not reach the service that way; the deadlines '
      'of devices are extended by these times. Kept for 30 days. On Citus a reference table.';
    comment on column ingress_outages.started_at is 'The last heartbeat before the outage.';
    comment on column ingress_outages.ended_at is 'The first heartbeat after it.'`);

export const down = (sql: Knex) => sql.raw('drop table ingress_outages');
