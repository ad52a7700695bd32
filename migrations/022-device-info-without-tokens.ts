import type { Knex } from 'knex';

/** Device info was stored with the token that authenticated it. */
export const up = (sql: Knex) =>
  sql.raw(`
    update device_states set device_info = device_info - 'cloudToken'
    where jsonb_exists(device_info, 'cloudToken')`);

/** What is gone stays gone. */
export const down = (): Promise<void> => Promise.resolve();
