import type { Knex } from 'knex';

/**
 * No column but the key is indexed and pages keep room, so that merges, fetches and reports stay on their page.
 * `active` repeats that the asset is not archived: whoever waited for the lock on this row sees it in the row itself.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table device_configs (
      asset_id uuid not null,
      organization_id uuid not null,
      active boolean not null default true,
      reported_config_id uuid,
      reported_at timestamptz,
      reported_hash bigint,
      confirmed_config_id uuid,
      pending_config_id uuid,
      revision bigint not null default 0,
      fetched_at timestamptz,
      contradictions smallint not null default 0,
      failure text,
      channel_types smallint[],
      rule_slots smallint not null default 12,
      constraint device_configs_pkey primary key (asset_id),
      constraint device_configs_asset_fkey foreign key (organization_id, asset_id)
        references assets (organization_id, id)
    ) with (fillfactor = 50)`);

export const down = (sql: Knex) => sql.raw('drop table device_configs');
