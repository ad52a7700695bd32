import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    alter table config_jobs add column is_beginning_stage boolean not null default false;
    comment on column config_jobs.is_beginning_stage is
      'True: the stage after current_stage has begun for part of its devices; the others follow in chunks.'`);

export const down = (sql: Knex) => sql.raw('alter table config_jobs drop column is_beginning_stage');
