import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    set local lock_timeout = '5s';
    alter table api_keys add column if not exists name text;
    alter table api_keys add column if not exists role text
      constraint api_keys_role_check check (role is null or kind = 'customer' and role in ('admin', 'write', 'read'));
    comment on column api_keys.name is
      'What people call the key. Null: it was made without a name, and its first characters stand for it.';
    comment on column api_keys.role is
      'What a customer key may do: read, write, or admin, which also manages keys. Null on a customer key: '
      'it was made before there were roles, and is an admin. Null on device keys.'`);

export const down = (sql: Knex) => sql.raw('alter table api_keys drop column role, drop column name');
