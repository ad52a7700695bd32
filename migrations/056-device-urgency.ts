import type { Knex } from 'knex';

/** Created while devices go on, so outside of a transaction. */
export const config = { transaction: false };

export async function up(sql: Knex): Promise<void> {
  // A run that broke off leaves an index that is not valid.
  await sql.raw('drop index concurrently if exists device_states_urgency_idx');
  await sql.raw(`
    create index concurrently device_states_urgency_idx on device_states (organization_id, (
      case
        when open_alerts @> '[{"type": "high_temp"}]' or open_alerts @> '[{"type": "low_temp"}]' then 1
        when open_alerts @> '[{"type": "sensor_error"}]' then 2
        when status = 'offline' then 3
        when battery_status = 'low' then 5
        else 6
      end
    ), asset_id) where is_active`);
  await sql.raw(`
    comment on index device_states_urgency_idx is
      'The list of a fleet, most urgent first: 4 is a failed change, which device_configs has.'`);
}

export const down = (sql: Knex) => sql.raw('drop index concurrently if exists device_states_urgency_idx');
