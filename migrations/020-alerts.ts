import type { Knex } from 'knex';

/** Which of them are open for a device stands in `device_states.open_alerts`, under the lock that its readings take. */
export const up = (sql: Knex) =>
  sql.raw(`
    create table alerts (
      id uuid not null default uuidv7(),
      organization_id uuid not null,
      asset_id uuid not null,
      serial_number text not null,
      type text not null,
      status text not null default 'new',
      details jsonb not null,
      timestamp timestamptz not null,
      updated_at timestamptz not null default now(),
      constraint alerts_pkey primary key (organization_id, id),
      constraint alerts_id_key unique (id),
      constraint alerts_asset_fkey foreign key (organization_id, asset_id) references assets (organization_id, id),
      constraint alerts_type_check check (type in ('high_temp', 'low_temp', 'no_data')),
      constraint alerts_status_check check (status in ('new', 'acknowledged', 'resolved'))
    );
    create index alerts_asset on alerts (asset_id, id)`);

export const down = (sql: Knex) => sql.raw('drop table alerts');
