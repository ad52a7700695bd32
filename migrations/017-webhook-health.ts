import type { Knex } from 'knex';

/**
 * How an endpoint is doing. closed: the dispatcher sends. open: nothing is sent but a probe at next_probe_at. draining:
 * what waited goes out at a growing pace. failing_since: since when every attempt failed. recovered_at: when the last
 * outage was over; what was last tried before that is part of the backlog.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    alter table webhooks
      add column breaker text not null default 'closed',
      add column failing_since timestamptz,
      add column next_probe_at timestamptz,
      add column recovered_at timestamptz,
      add column previous_secret bytea,
      add column previous_secret_until timestamptz,
      add column workflow_seen_at timestamptz,
      add constraint webhooks_breaker_check check (breaker in ('closed', 'open', 'draining'))`);

export const down = (sql: Knex) =>
  sql.raw(`
    alter table webhooks
      drop column breaker, drop column failing_since, drop column next_probe_at, drop column recovered_at,
      drop column previous_secret, drop column previous_secret_until, drop column workflow_seen_at`);
