/**
 * The schema as text, read from PostgreSQL's catalogue: docs/schema.sql is this text, and a test keeps it
 * current.
 *
 * Guaranteed: the same schema gives the same text, and the text is SQL that creates that schema. Deliberately
 * not: partitions, which are created at run time, the migrator's own tables, and kinds of objects that the
 * schema does not use (views, types).
 */
import type { Sql } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';

interface Table {
  name: string;
  /** In the form of `create table`. */
  columns: string[];
  constraints: string[];
  /** After the closing bracket: partitioning and storage parameters. */
  suffix: string;
  /** Complete statements. */
  indexes: string[];
  comments: string[];
  /** With their functions. */
  triggers: string[];
  /** Tables that have to be created earlier. */
  references: string[];
}

const SUFFIX = `
  select concat(case when c.relkind = 'p' then ' PARTITION BY ' || pg_get_partkeydef(c.oid) end,
    ' WITH (' || array_to_string(c.reloptions, ', ') || ')')`;

const COLUMNS = `
  select array_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attstorage <> t.typstorage then 'STORAGE ' || case a.attstorage
        when 'p' then 'PLAIN' when 'e' then 'EXTERNAL' when 'm' then 'MAIN' else 'EXTENDED' end end,
      case when a.attcollation <> t.typcollation
        then 'COLLATE ' || (select quote_ident(collname) from pg_collation where oid = a.attcollation) end,
      case when a.attgenerated = 's' then 'GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid) || ') STORED'
        else 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid, true) end,
      case when a.attnotnull then 'NOT NULL' end) order by a.attnum)
  from pg_attribute a join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`;

/** Without not-null constraints, which are part of the columns. */
const CONSTRAINTS = `
  select array_agg(concat_ws(' ', 'CONSTRAINT', o.conname, pg_get_constraintdef(o.oid, true))
    order by array_position('{p,u,f,c}', o.contype::text), o.conname)
  from pg_constraint o where o.conrelid = c.oid and o.contype <> 'n'`;

const INDEXES = `
  select array_agg(replace(pg_get_indexdef(i.indexrelid, 0, true), ' ON ONLY ', ' ON ') order by x.relname)
  from pg_index i join pg_class x on x.oid = i.indexrelid
  where i.indrelid = c.oid and not exists (select from pg_constraint o where o.conindid = i.indexrelid and o.contype <> 'f')`;

const COMMENTS = `
  select array_agg(concat('COMMENT ON ', what, E' IS\\n  ', quote_literal(text)) order by rank, at, what)
  from (
    select 1 as rank, 0 as at, 'TABLE ' || c.relname as what, obj_description(c.oid, 'pg_class') as text
    union all
    select 2, a.attnum, 'COLUMN ' || c.relname || '.' || a.attname, col_description(c.oid, a.attnum)
    from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
    union all
    select 3, 0, 'CONSTRAINT ' || o.conname || ' ON ' || c.relname, obj_description(o.oid, 'pg_constraint')
    from pg_constraint o where o.conrelid = c.oid
    union all
    select 4, 0, 'INDEX ' || x.relname, obj_description(x.oid, 'pg_class')
    from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = c.oid
  ) as comments where text is not null`;

/** Functions come before their triggers. */
const TRIGGERS = `
  select array_agg(text order by name, rank, text)
  from (
    select distinct p.proname as name, 1 as rank,
      rtrim(replace(pg_get_functiondef(p.oid), current_schema() || '.', ''), E'\\n') as text
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid where t.tgrelid = c.oid and not t.tgisinternal
    union all
    select p.proname, 2, pg_get_triggerdef(t.oid, true)
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid where t.tgrelid = c.oid and not t.tgisinternal
  ) as triggers`;

/** Functions that indexes and statements call. */
const FUNCTIONS = `
  select rtrim(replace(pg_get_functiondef(p.oid), current_schema() || '.', ''), E'\\n') as text
  from pg_proc p where p.pronamespace = current_schema()::regnamespace
    and not exists (select from pg_trigger t where t.tgfoid = p.oid)
  order by p.proname collate "C"`;

const REFERENCES = `
  select array_agg(distinct f.relname::text) from pg_constraint o join pg_class f on f.oid = o.confrelid
  where o.conrelid = c.oid and f.oid <> c.oid`;

/** Tables in the schema of the connection. */
const TABLES = `
  select c.relname as name, (${COLUMNS}) as columns, coalesce((${CONSTRAINTS}), '{}') as constraints,
    (${SUFFIX}) as suffix, coalesce((${INDEXES}), '{}') as indexes, coalesce((${COMMENTS}), '{}') as comments,
    coalesce((${TRIGGERS}), '{}') as triggers, coalesce((${REFERENCES}), '{}') as "references"
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and not starts_with(c.relname, 'schema_migrations')
  order by c.relname collate "C"`;

export async function dumpSchema(sql: Sql): Promise<string> {
  const tables = await query<Table>(sql, TABLES);
  const functions = await query<{ text: string }>(sql, FUNCTIONS);
  const parts = [...functions.map(({ text }) => `${text};\n`), ...inOrder(tables).map(tableText)];
  return `${HEADER}\n${parts.join('\n')}`;
}

const HEADER = `-- The database schema after all migrations. Generated: refresh it with \`npm run schema\`.
-- Partitions are left out; the service creates them as time goes on.
`;

/** By name, but each table after those that it refers to. */
function inOrder(tables: Table[]): Table[] {
  const done = new Set<string>();
  const ordered: Table[] = [];
  while (ordered.length < tables.length) {
    const next = tables.find(
      ({ name, references }) => !done.has(name) && references.every((each) => done.has(each)),
    );
    if (!next) throw new Error('Foreign keys form a circle: there is no order to create the tables in');
    done.add(next.name);
    ordered.push(next);
  }
  return ordered;
}

function tableText({ name, columns, constraints, suffix, indexes, comments, triggers }: Table): string {
  const lines = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n');
  return [`CREATE TABLE ${name} (\n${lines}\n)${suffix}`, ...indexes, ...comments, ...triggers]
    .map((statement) => `${statement};\n`)
    .join('');
}
