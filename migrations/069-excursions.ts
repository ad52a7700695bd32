import type { Knex } from 'knex';

/**
 * device_states_urgency_idx reads open_alerts. A breach that waits for its delay changes with every frame, and wrote a
 * new entry in each index of the table as long as it was kept there.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    alter table device_states add column excursions jsonb not null default '[]';
    comment on column device_states.excursions is
      'Breaches that have not lasted their delay, and channels whose newest readings are part of an excursion in late '
      'data. They change with every frame, so no index reads this column.';
    comment on column device_states.open_alerts is
      'The alerts that are open for the device: so that readings are evaluated under the lock of this row, without a '
      'look-up in alerts.'`);

export const down = (sql: Knex) =>
  sql.raw(`
    update device_states set open_alerts = open_alerts || excursions where excursions <> '[]';
    alter table device_states drop column excursions;
    comment on column device_states.open_alerts is
      'The alerts that are open for the device, and, without an alertId, the breaches that have not lasted their delay, and '
      'channels whose newest readings are part of an excursion in late data: so that readings are evaluated under the lock '
      'of this row, without a look-up in alerts.'`);
