import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create index alerts_open_idx on alerts (severity, status, id) where status <> 'resolved';
    comment on index alerts_open_idx is 'Without organization_id: a metric of the worker over all organizations.'`);

export const down = (sql: Knex) => sql.raw('drop index alerts_open_idx');
