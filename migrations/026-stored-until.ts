import type { Knex } from 'knex';

/**
 * No reading of the asset that is stored was measured later, on whatever channel, sensor errors included: what comes
 * with a later time is new without a look. Null while that is not known.
 */
export const up = (sql: Knex) => sql.raw('alter table device_states add column stored_until timestamptz');

export const down = (sql: Knex) => sql.raw('alter table device_states drop column stored_until');
