import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    alter table config_jobs add column origin jsonb;
    comment on column config_jobs.origin is
      'Operation, scope and group of the request that began the job. Null: begun by a release that did not store it.'`);

export const down = (sql: Knex) => sql.raw('alter table config_jobs drop column origin');
