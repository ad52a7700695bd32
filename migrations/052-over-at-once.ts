import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    alter table notification_alerts add column was_over boolean not null default false;
    comment on column notification_alerts.was_over is
      'The alert was over when its opening was queued: it is mentioned once.'`);

export const down = (sql: Knex) => sql.raw('alter table notification_alerts drop column was_over');
