import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table notification_channels (
      organization_id uuid not null,
      id uuid not null,
      type text not null,
      target text not null,
      sealed_target bytea,
      secret bytea,
      alert_types text[] not null,
      group_ids uuid[] not null,
      delay_minutes integer not null,
      reminder_minutes integer,
      quiet_hours jsonb,
      status text not null,
      is_confirmed boolean not null default true,
      gathered_at timestamptz,
      last_sent_at timestamptz,
      last_error text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      constraint notification_channels_pkey primary key (organization_id, id),
      constraint notification_channels_status_check check (status in ('active', 'disabled')),
      constraint notification_channels_type_check check (type in ('email', 'slack', 'webhook'))
    );
    comment on table notification_channels is
      'Where people are notified of alerts: an e-mail address, a Slack URL or a webhook.';
    comment on column notification_channels.target is
      'The address or URL as answers show it: that of a Slack channel without its path, which is a secret.';
    comment on column notification_channels.sealed_target is 'The whole URL, encrypted. Null: target is whole.';
    comment on column notification_channels.secret is 'Signs messages to a webhook; encrypted. Null: none.';
    comment on column notification_channels.alert_types is 'The types of alerts that it is for.';
    comment on column notification_channels.group_ids is 'Only alerts of assets in these groups. Empty: of all.';
    comment on column notification_channels.reminder_minutes is
      'While an alert is open, it is mentioned again after so long. Null: once.';
    comment on column notification_channels.quiet_hours is
      'from and to as HH:MM and timezone: nothing is sent between. Null: none.';
    comment on column notification_channels.is_confirmed is
      'False: an e-mail address whose owner has not confirmed it; it is sent nothing but the link that does.';
    comment on column notification_channels.gathered_at is
      'When alerts were last gathered into a notification. Null: never.';
    comment on column notification_channels.last_sent_at is 'Null: nothing was sent yet.';
    comment on column notification_channels.last_error is
      'Why the latest attempt failed. Null: it did not, or there was none.'`);

export const down = (sql: Knex) => sql.raw('drop table notification_channels');
