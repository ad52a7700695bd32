import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    alter table config_jobs add column created_by jsonb;
    comment on column config_jobs.created_by is
      'Key and name, as in audit_entries. Null: begun by a release that kept it in audit_entries alone.'`);

export const down = (sql: Knex) => sql.raw('alter table config_jobs drop column created_by');
