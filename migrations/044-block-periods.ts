import type { Knex } from 'knex';

/** Gaps are found by the period that the frame itself tells, also after its day was compacted. */
export const up = (sql: Knex) =>
  sql.raw(`
    alter table measurement_blocks add column period_seconds integer;
    comment on column measurement_blocks.period_seconds is
      'Between two readings, as the frame tells it. Null: it does not.'`);

export const down = (sql: Knex) => sql.raw('alter table measurement_blocks drop column period_seconds');
