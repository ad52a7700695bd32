import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table endpoints (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      collection text not null,
      name text not null,
      url text not null,
      status text not null,
      disabled_reason text,
      events text[] not null,
      secret bytea,
      previous_secret bytea,
      previous_secret_until timestamptz,
      breaker text not null default 'closed',
      failing_since timestamptz,
      next_probe_at timestamptz,
      recovered_at timestamptz,
      last_delivered_at timestamptz,
      last_attempt_at timestamptz,
      last_status text,
      last_status_code integer,
      last_error text,
      workflow_checked_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      enabled_at timestamptz,
      deleted_at timestamptz,
      workflow_due_at timestamptz,
      disabled_at timestamptz,
      constraint endpoints_pkey primary key (organization_id, id),
      constraint endpoints_organization_fkey foreign key (organization_id) references organizations (id),
      constraint endpoints_breaker_check check (breaker in ('closed', 'open', 'draining')),
      constraint endpoints_collection_check check (collection in ('cellular', 'event')),
      constraint endpoints_disabled_reason_check check
        ((status = 'active') = (disabled_reason is null) and disabled_reason in ('customer', 'failing', 'gone')),
      constraint endpoints_events_check check (cardinality(events) > 0),
      constraint endpoints_last_status_check check (last_status in ('delivered', 'retrying', 'failed', 'blocked')),
      constraint endpoints_status_check check (status in ('active', 'disabled'))
    ) with (fillfactor = 70);
    create index endpoints_collection_idx on endpoints (organization_id, collection, id);
    create index endpoints_deleted_idx on endpoints (organization_id, id) where deleted_at is not null;
    comment on table endpoints is
      'Receivers of events: what customers register as webhooks, and how deliveries to them are going.';
    comment on column endpoints.collection is 'Of the API; cellular webhooks take whole frames of measurements.';
    comment on column endpoints.disabled_reason is
      'customer: through the API; failing: no delivery succeeded for days; gone: it answered 410. Null while '
      'active.';
    comment on column endpoints.events is
      'Types of events that are delivered to the endpoint. Which types there are, the catalogue in src/events says.';
    comment on column endpoints.secret is
      'Signs deliveries; encrypted, and bound to this row. Null: deliveries are not signed.';
    comment on column endpoints.previous_secret is
      'Signs as well until previous_secret_until, while the customer changes over; encrypted. Null: none.';
    comment on column endpoints.previous_secret_until is 'Null: the secret has never been replaced.';
    comment on column endpoints.breaker is
      'closed: deliveries are sent; open: none but a probe at next_probe_at; draining: the backlog is sent at a '
      'growing pace.';
    comment on column endpoints.failing_since is 'Since when every attempt has failed. Null: the last one succeeded.';
    comment on column endpoints.next_probe_at is 'Null unless the breaker is open.';
    comment on column endpoints.recovered_at is
      'When the last outage ended; deliveries whose last attempt was before belong to the backlog. Null: no outage '
      'since the breaker last opened, or none at all.';
    comment on column endpoints.last_delivered_at is 'Null: no delivery has succeeded yet.';
    comment on column endpoints.last_attempt_at is 'Null: none yet.';
    comment on column endpoints.last_status is 'Of the latest attempt, whatever event it was for. Null: none yet.';
    comment on column endpoints.last_status_code is 'HTTP status. Null: no attempt yet, or no answer.';
    comment on column endpoints.last_error is
      'What went wrong in the latest attempt, as text that names no internal address. Null: nothing.';
    comment on column endpoints.workflow_checked_at is
      'When the recovery workflow of the endpoint last read its state. Null: none is running.';
    comment on column endpoints.enabled_at is
      'When it was last enabled: what was last tried before begins a new schedule. Null: it has never been '
      'disabled.';
    comment on column endpoints.deleted_at is
      'From then on no operation finds it; the worker cancels its queue and then removes the row. Null: not '
      'deleted.';
    comment on column endpoints.workflow_due_at is
      'When its recovery workflow reads the state again at the latest. Null: none is running.';
    comment on column endpoints.disabled_at is
      'When the endpoint was last changed from active to disabled. Null: never.'`);

export const down = (sql: Knex) => sql.raw('drop table endpoints');
