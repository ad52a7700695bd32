import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    alter table alerts
      add column late boolean not null default false,
      add column ended_at timestamptz,
      add column extreme jsonb;
    create index alerts_late_idx on alerts (organization_id, id) where late;
    create index alerts_temperature_idx on alerts (organization_id, asset_id, started_at)
      where type in ('high_temp', 'low_temp');
    comment on column alerts.late is 'An excursion that late readings showed: it was over when it was recorded.';
    comment on column alerts.ended_at is
      'Time of the reading that ended it; where none did, of what ended it, or of the last reading of a late excursion '
      'while no later one is known. Null: it is open, or a release before resolved it at updated_at.';
    comment on column alerts.extreme is
      'The value of a late excursion, in °C, that is farthest from its bound, and when it was measured. Null for others.';
    comment on column device_states.open_alerts is
      'The alerts that are open for the device, and, without an alertId, the breaches that have not lasted their delay, and '
      'channels whose newest readings are part of an excursion in late data: so that readings are evaluated under the lock '
      'of this row, without a look-up in alerts.'`);

export const down = (sql: Knex) =>
  sql.raw(`
    alter table alerts drop column late, drop column ended_at, drop column extreme;
    drop index alerts_temperature_idx;
    comment on column device_states.open_alerts is
      'The alerts that are open for the device, and, without an alertId, the breaches that have not lasted their delay: '
      'so that readings are evaluated under the lock of this row, without a look-up in alerts.'`);
