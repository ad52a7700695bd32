import type { Knex } from 'knex';

/** The value changes about once a day per device, so frames still rewrite their row in place (HOT). */
export const up = (sql: Knex) =>
  sql.raw(`
    alter table device_states add column uncompacted_from timestamptz;
    create index device_states_uncompacted_idx on device_states (uncompacted_from)
      where uncompacted_from is not null;
    comment on column device_states.uncompacted_from is
      'Time of the oldest reading that was stored since the blocks of its day were last compacted. Null: none.';
    comment on index device_states_uncompacted_idx is
      'Without organization_id: the sweep compacts the devices of all organizations.'`);

export const down = (sql: Knex) => sql.raw('alter table device_states drop column uncompacted_from');
