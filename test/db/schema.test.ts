/** The schema as a whole: its golden text, and the rules that hold for every table. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import knex, { type Knex } from 'knex';
import { dumpSchema } from '../../dev/schema/schema-dump.ts';
import { query } from '../../src/db/query.ts';
import { newDatabase } from '../support/servers.ts';

const GOLDEN = readFileSync(new URL('../../docs/schema.sql', import.meta.url), 'utf8');

/**
 * Tables; `is_tenant` if rows belong to an organization. api_keys is a reference table, as its comment says.
 */
const TABLES = `
  tables as (
    select c.oid, c.relname as name, exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id'
    ) and c.relname <> 'api_keys' as is_tenant
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not starts_with(c.relname, 'schema_migrations')
  )`;

/** `leader` is the first column; empty for an expression. */
const INDEXES = `
  indexes as (
    select x.oid, x.relname as name, t.name as table_name, t.is_tenant, i.indisunique as is_unique,
      coalesce(a.attname, '') as leader, o.oid is not null as is_constraint
    from pg_index i join tables t on t.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
    left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    left join pg_constraint o on o.conindid = i.indexrelid and o.contype in ('p', 'u')
  )`;

describe('The database schema', () => {
  let sql: Knex;

  before(async () => {
    sql = connect(await newDatabase());
  });
  after(() => sql.destroy());

  const connect = (url: string, schema?: string) =>
    knex({
      client: 'pg',
      connection: url,
      pool: { min: 0, max: 1 },
      ...(schema && { searchPath: [schema] }),
    });

  /** Results of the statement, one name per row. */
  async function names(select: string): Promise<string[]> {
    const rows = await query<{ name: string }>(sql, `with ${TABLES}, ${INDEXES} ${select} order by 1`);
    return rows.map(({ name }) => name);
  }

  it('equals docs/schema.sql', async () => {
    const isSame = (await dumpSchema(sql)) === GOLDEN;
    assert.ok(isSame, 'docs/schema.sql does not describe the migrated database: run `npm run schema`');
  });

  it('builds from docs/schema.sql alone', async () => {
    const copy = connect(await newDatabase(), 'copy');
    try {
      await copy.raw('create schema copy');
      await copy.raw(GOLDEN);
      assert.equal(await dumpSchema(copy), GOLDEN);
    } finally {
      await copy.destroy();
    }
  });

  it('consists only of tables, indexes, functions and triggers, which docs/schema.sql shows', async () => {
    assert.deepEqual(
      await names(`
        select relname as name from pg_class
        where relnamespace = current_schema()::regnamespace and relkind not in ('r', 'p', 'i', 'I')
          and not starts_with(relname, 'schema_migrations')
        union all select typname from pg_type
          where typnamespace = current_schema()::regnamespace and typtype in ('e', 'd', 'r')
        union all select polname from pg_policy`),
      [],
    );
  });

  it('begins each primary key and each unique index of a tenant table with organization_id', async () => {
    assert.deepEqual(
      await names(`select name from indexes where is_tenant and is_unique and leader <> 'organization_id'`),
      [],
    );
  });

  it('begins every other index of a tenant table with organization_id, or says in a comment why not', async () => {
    assert.deepEqual(
      await names(`
        select name from indexes
        where is_tenant and leader <> 'organization_id' and obj_description(oid, 'pg_class') is null`),
      [],
    );
  });

  it('carries organization_id in each foreign key from one tenant table to another', async () => {
    const foreignKeys = `
      pg_constraint o join tables t on t.oid = o.conrelid join tables r on r.oid = o.confrelid
      join pg_attribute own on own.attrelid = o.conrelid and own.attnum = o.conkey[1]
      join pg_attribute theirs on theirs.attrelid = o.confrelid and theirs.attnum = o.confkey[1]
      where o.contype = 'f' and t.is_tenant and r.is_tenant`;
    assert.notDeepEqual(await names(`select o.conname as name from ${foreignKeys}`), []);
    assert.deepEqual(
      await names(`select o.conname as name from ${foreignKeys}
        and (own.attname <> 'organization_id' or theirs.attname <> 'organization_id')`),
      [],
    );
  });

  it('allows no foreign key from a table without organization_id to a tenant table', async () => {
    assert.deepEqual(
      await names(`
        select o.conname as name from pg_constraint o
        join tables t on t.oid = o.conrelid join tables r on r.oid = o.confrelid
        where r.is_tenant and not t.is_tenant`),
      [],
    );
  });

  it('explains every table in a comment', async () => {
    assert.deepEqual(
      await names(`select name from tables where obj_description(oid, 'pg_class') is null`),
      [],
    );
  });

  it('explains null in the comment of each column that accepts it', async () => {
    assert.deepEqual(
      await names(`
        select t.name || '.' || a.attname as name from tables t join pg_attribute a on a.attrelid = t.oid
        where a.attnum > 0 and not a.attisdropped and not a.attnotnull
          and coalesce(col_description(t.oid, a.attnum), '') !~* '\\mnull\\M'`),
      [],
    );
  });

  it('explains each column whose type is not clear by itself: arrays, JSON and booleans', async () => {
    assert.deepEqual(
      await names(`
        select t.name || '.' || a.attname as name from tables t join pg_attribute a on a.attrelid = t.oid
        join pg_type y on y.oid = a.atttypid
        where a.attnum > 0 and not a.attisdropped and (y.typcategory = 'A' or y.typname in ('json', 'jsonb', 'bool'))
          and col_description(t.oid, a.attnum) is null`),
      [],
    );
  });

  it('names constraints and indexes after their table and kind', async () => {
    assert.deepEqual(
      await names(`
        select name from (
          select o.conname as name, t.name as table_name, case o.contype
            when 'p' then 'pkey' when 'u' then 'key' when 'f' then 'fkey' when 'c' then 'check' end as kind
          from pg_constraint o join tables t on t.oid = o.conrelid where o.contype <> 'n'
          union all select name, table_name, 'idx' from indexes where not is_constraint
        ) as named
        where name !~ case kind when 'pkey' then '^' || table_name || '_pkey$'
          else '^' || table_name || '_[a-z0-9_]+_' || kind || '$' end`),
      [],
    );
  });
});
