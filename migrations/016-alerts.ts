import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table alerts (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      asset_id uuid not null,
      serial_number text not null,
      type text not null,
      status text not null default 'new',
      details jsonb not null,
      started_at timestamptz not null,
      updated_at timestamptz not null default now(),
      constraint alerts_pkey primary key (organization_id, id),
      constraint alerts_asset_fkey foreign key (organization_id, asset_id)
        references assets (organization_id, id),
      constraint alerts_type_check check (type in ('high_temp', 'low_temp', 'no_data')),
      constraint alerts_status_check check (status in ('new', 'acknowledged', 'resolved'))
    );
    create index alerts_asset_idx on alerts (organization_id, asset_id, id);
    comment on table alerts is
      'Alerts, open and resolved. Which ones are open for a device is also in device_states.open_alerts, '
      'under the lock that its readings take.';
    comment on column alerts.serial_number is 'Of the logger that the asset had when the alert began.';
    comment on column alerts.details is
      'For temperatures: channel, the value that opened the alert and the bounds, in degrees Celsius; '
      'for no_data: the deadline that was missed.';
    comment on column alerts.started_at is
      'Time of the reading that opened it; for no_data, of the missed deadline.'`);

export const down = (sql: Knex) => sql.raw('drop table alerts');
