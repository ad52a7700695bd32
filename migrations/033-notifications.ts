import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table notifications (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      channel_id uuid not null,
      content jsonb not null,
      state text not null default 'pending',
      attempt_count integer not null default 0,
      next_attempt_at timestamptz,
      leased_by uuid,
      leased_until timestamptz,
      last_error text,
      created_at timestamptz not null,
      sent_at timestamptz,
      constraint notifications_pkey primary key (organization_id, id),
      constraint notifications_channel_fkey foreign key (organization_id, channel_id)
        references notification_channels (organization_id, id) on delete cascade,
      constraint notifications_state_check check (state in ('pending', 'sent', 'failed'))
    );
    create index notifications_channel_idx on notifications (organization_id, channel_id);
    create index notifications_due_idx on notifications (organization_id, channel_id, next_attempt_at)
      where state = 'pending';
    create index notifications_ended_idx on notifications (created_at) where state <> 'pending';
    comment on table notifications is 'Messages to notification channels: the outbox of what people are sent.';
    comment on column notifications.content is
      'Subject and text for people, and the data that a webhook gets, as they were when the message was made.';
    comment on column notifications.next_attempt_at is 'Null when it is sent or failed.';
    comment on column notifications.leased_by is 'The process that sends it. Null: none does.';
    comment on column notifications.leased_until is 'After that another process may send it. Null: any may.';
    comment on column notifications.last_error is
      'Why the latest attempt failed. Null: it did not, or there was none.';
    comment on column notifications.sent_at is 'Null: it is not sent.';
    comment on index notifications_ended_idx is 'Without organization_id: retention over all organizations.'`);

export const down = (sql: Knex) => sql.raw('drop table notifications');
