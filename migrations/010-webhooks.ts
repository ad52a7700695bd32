import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table webhooks (
      id uuid not null default uuidv7(),
      organization_id uuid not null,
      collection text not null,
      name text not null,
      url text not null,
      status text not null,
      disabled_reason text,
      events text[] not null,
      secret bytea,
      last_delivered_at timestamptz,
      last_attempt_at timestamptz,
      last_status text,
      last_status_code integer,
      last_error text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      constraint webhooks_pkey primary key (id),
      constraint webhooks_organization_id_key unique (organization_id, id),
      constraint webhooks_organization_fkey foreign key (organization_id) references organizations (id),
      constraint webhooks_collection_check check (collection in ('cellular', 'event')),
      constraint webhooks_status_check check (status in ('active', 'disabled')),
      constraint webhooks_disabled_reason_check check (
        (status = 'active') = (disabled_reason is null)
          and disabled_reason in ('customer', 'failing', 'gone')
      ),
      constraint webhooks_last_status_check check (last_status in ('delivered', 'retrying', 'failed', 'blocked'))
    ) with (fillfactor = 70);
    create index webhooks_collection on webhooks (organization_id, collection, id)`);

export const down = (sql: Knex) => sql.raw('drop table webhooks');
