import type { Knex } from 'knex';

/**
 * A job changes the state of all its targets twice, so a page keeps room for another version of each: the indexes stay as they are.
 */
export const up = (sql: Knex) => sql.raw('alter table config_targets set (fillfactor = 45)');

export const down = (sql: Knex) => sql.raw('alter table config_targets set (fillfactor = 70)');
