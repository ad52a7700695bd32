import type { Knex } from 'knex';

/** A later migration that older code cannot run on moves this on, in the release that contains it. */
const NEEDED = '038-schema-support';

export async function up(sql: Knex): Promise<void> {
  await sql.raw(`
    create table schema_support (
      is_only boolean not null default true,
      needed_migration text not null collate "C",
      constraint schema_support_pkey primary key (is_only),
      constraint schema_support_is_only_check check (is_only)
    );
    comment on table schema_support is 'One row: which releases can run on this schema.';
    comment on column schema_support.is_only is 'Always true: there is one row.';
    comment on column schema_support.needed_migration is
      'A release that does not know this migration is too old for the schema.'`);
  await sql.raw('insert into schema_support (needed_migration) values (?)', [NEEDED]);
}

export const down = (sql: Knex) => sql.raw('drop table schema_support');
