import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table notification_alerts (
      organization_id uuid not null,
      alert_id uuid not null,
      channel_id uuid not null,
      kind text not null,
      due_at timestamptz,
      notified_at timestamptz,
      constraint notification_alerts_pkey primary key (organization_id, alert_id, channel_id, kind),
      constraint notification_alerts_kind_check check (kind in ('opening', 'end'))
    );
    create index notification_alerts_due_idx on notification_alerts (organization_id, channel_id, due_at)
      where due_at is not null;
    comment on table notification_alerts is
      'What each notification channel is yet to say of each alert. Inserted with the event of the alert; everything '
      'else is done under the lock of the channel. Removed when the alert is over and that was said, or need not '
      'be.';
    comment on column notification_alerts.kind is
      'opening: the alert opened; it stays for the reminders. end: the alert is over.';
    comment on column notification_alerts.due_at is 'Null: an opening that was notified, without a reminder to come.';
    comment on column notification_alerts.notified_at is
      'When the opening was first put into a notification. Null: not yet.'`);

export const down = (sql: Knex) => sql.raw('drop table notification_alerts');
