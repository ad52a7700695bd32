import type { Knex } from 'knex';

/** The hash that frames showed last: another one than that of the last report means that somebody changed the device. */
export const up = (sql: Knex) => sql.raw('alter table device_configs add column seen_hash bigint');

export const down = (sql: Knex) => sql.raw('alter table device_configs drop column seen_hash');
