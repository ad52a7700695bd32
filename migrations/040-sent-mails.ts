import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table sent_mails (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      address_key text not null,
      channel_id uuid not null,
      kind text not null,
      sent_at timestamptz not null,
      constraint sent_mails_pkey primary key (organization_id, id),
      constraint sent_mails_kind_check check (kind in ('link', 'test', 'notification'))
    );
    create index sent_mails_time_idx on sent_mails (organization_id, sent_at);
    comment on table sent_mails is 'E-mails of the last hour, which are counted per address, channel and organization.';
    comment on column sent_mails.address_key is 'The address in lower case.'`);

export const down = (sql: Knex) => sql.raw('drop table sent_mails');
