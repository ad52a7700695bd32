import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    alter table notification_channels add column steps_gathered_at timestamptz;
    comment on column notification_channels.steps_gathered_at is
      'When steps of escalations were last gathered into messages. Null: never.';
    comment on column notifications.next_attempt_at is
      'Null when it is sent or failed, or is a step of an escalation that is not gathered yet.'`);

/** The release before sends each notification that has a time. */
export const down = (sql: Knex) =>
  sql.raw(`
    update notifications set next_attempt_at = created_at where state = 'pending' and next_attempt_at is null;
    comment on column notifications.next_attempt_at is 'Null when it is sent or failed.';
    alter table notification_channels drop column steps_gathered_at`);
