import type { Knex } from 'knex';

/** What is queued for an endpoint follows from the endpoint's row: changes of an endpoint write that row alone. */
export const up = (sql: Knex) =>
  sql.raw(`
    set local lock_timeout = '5s';
    alter table endpoints
      add column enabled_at timestamptz,
      add column deleted_at timestamptz,
      add column workflow_due_at timestamptz;
    create index endpoints_deleted_idx on endpoints (organization_id, id) where deleted_at is not null;
    comment on column endpoints.enabled_at is
      'When it was last enabled: what was last tried before begins a new schedule. Null: it has never been disabled.';
    comment on column endpoints.deleted_at is
      'From then on no operation finds it; the worker cancels its queue and then removes the row. Null: not deleted.';
    comment on column endpoints.workflow_due_at is
      'When its recovery workflow reads the state again at the latest. Null: none is running.';

    alter table deliveries add column leased_by uuid;
    comment on column deliveries.leased_by is
      'The process that claimed the delivery. Null: not claimed, or claimed by version 0.1.0 or older.';
    comment on column deliveries.state is
      'sending: leased by a dispatcher; the API shows it as pending. What waits for a disabled endpoint stays pending '
      'or retrying, and the API shows it as held; versions up to 0.1.0 stored held. blocked: the address is not '
      'allowed.';

    create table delivery_replays (
      organization_id uuid not null,
      endpoint_id uuid not null,
      id uuid not null default uuidv7(),
      next_id uuid not null,
      end_id uuid not null,
      states text[] not null,
      created_at timestamptz not null default now(),
      constraint delivery_replays_pkey primary key (organization_id, endpoint_id, id),
      constraint delivery_replays_states_check check
        (states <@ array['delivered', 'failed', 'blocked', 'cancelled'] and cardinality(states) > 0)
    );
    comment on table delivery_replays is
      'Replays that customers asked for and that are not queued completely; the worker queues their deliveries bit by bit.';
    comment on column delivery_replays.next_id is 'Deliveries with smaller ids are queued already.';
    comment on column delivery_replays.end_id is 'The first id that does not belong to the replay.';
    comment on column delivery_replays.states is
      'Which deliveries: those that had one of these states when the replay was asked for.'`);

export const down = (sql: Knex) =>
  sql.raw(`
    drop table delivery_replays;
    alter table deliveries drop column leased_by;
    drop index endpoints_deleted_idx;
    alter table endpoints drop column workflow_due_at, drop column deleted_at, drop column enabled_at;
    comment on column deliveries.state is
      'sending: leased by a dispatcher; the API shows it as pending. held: kept while the endpoint is '
      'disabled. blocked: the address is not allowed.'`);
