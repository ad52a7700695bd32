import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
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
      'Replays that customers asked for and that are not queued completely; the worker queues their deliveries bit '
      'by bit.';
    comment on column delivery_replays.next_id is 'Deliveries with smaller ids are queued already.';
    comment on column delivery_replays.end_id is 'The first id that does not belong to the replay.';
    comment on column delivery_replays.states is
      'Which deliveries: those that had one of these states when the replay was asked for.'`);

export const down = (sql: Knex) => sql.raw('drop table delivery_replays');
