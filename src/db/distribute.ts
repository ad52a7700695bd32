/**
 * Distributes the tables of an empty or filled database over the nodes of Citus: tenant tables by their
 * organization, so that all rows of one are on one node; the others are copied to every node. Each step is a
 * transaction, and is skipped if it was done before, so an interrupted run can be repeated.
 */
import type { Database, Sql } from './database.ts';
import { query } from './query.ts';
import { createTransact } from './transaction.ts';

type Print = (line: string) => void;

/**
 * Read before the organization is known, so each node has a full copy, although rows belong to organizations.
 */
const OF_EVERY_NODE = ['api_keys'];
/**
 * Statements reach these tables only through the coordinator, because a lease is taken by a condition on the
 * time.
 */
const OF_COORDINATOR = ['leases', 'schema_migrations', 'schema_migrations_lock'];

/** @throws when the database has no Citus, or its schema is not there yet. */
export async function distribute(database: Database, print: Print): Promise<void> {
  await requireCitus(database);
  await setForeignKeysAside(database);
  for (const { name, isTenant } of await listLocalTables(database)) {
    await (isTenant ? distributeTable(database, name) : copyToEveryNode(database, name));
    print(`${name}: ${isTenant ? 'distributed by organization' : 'copied to every node'}`);
  }
  await removeLocalRows(database);
  await restoreForeignKeys(database, print);
}

/**
 * Statements are planned for the organization that they name. For an organization newer than the statistics
 * PostgreSQL expects a single row, so any index that begins with the organization seems as good as the right
 * one. Without statistics it expects a part of the table. Citus applies this setting on the nodes, but cannot
 * change it later.
 */
export const toExpectRowsOfEach = (table: string): string =>
  `alter table ${table} alter column organization_id set statistics 0`;

async function distributeTable(database: Database, table: string): Promise<void> {
  await query(database, toExpectRowsOfEach(table));
  const colocated = await findColocated(database, table);
  await database.select(
    database.raw(`create_distributed_table(?, 'organization_id', colocate_with => ?)`, [table, colocated]),
  );
}

const copyToEveryNode = (database: Database, table: string) =>
  database.select(database.raw('create_reference_table(?)', [table]));

async function requireCitus(sql: Sql): Promise<void> {
  const [state] = await query<{ isCreated: boolean; hasSchema: boolean }>(
    sql,
    `select exists (select from pg_extension where extname = 'citus') as "isCreated",
       to_regclass('assets') is not null as "hasSchema"`,
  );
  if (!state?.isCreated) {
    throw new Error(
      'The database has no Citus: install it on every node, run "create extension citus" in this database on each, ' +
        'and add the nodes with citus_add_node',
    );
  }
  if (!state.hasSchema) throw new Error('The database has no schema yet: run "migrate" first');
}

/** Partitions follow their table. Tables that all others refer to come first. */
function listLocalTables(sql: Sql): Promise<Array<{ name: string; isTenant: boolean }>> {
  return query(
    sql,
    `select name, is_tenant as "isTenant" from (
       select c.relname as name, c.relname <> all(?::text[]) and exists (
         select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id'
       ) as is_tenant
       from pg_class c
       where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and c.relname <> all(?::text[]) and c.oid not in (select logicalrelid::oid from pg_dist_partition)
         and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     ) as tables order by is_tenant, name`,
    [OF_EVERY_NODE, [...OF_COORDINATOR, KEPT]],
  );
}

/**
 * Any table that is already distributed: rows of one organization have to be on the same node in all tables.
 */
async function findColocated(database: Database, table: string): Promise<string> {
  const distributed = await database('pg_dist_partition')
    .where({ partmethod: 'h' })
    .whereRaw('logicalrelid <> ?::regclass', [table])
    .first(database.raw('logicalrelid::text as name'));
  return distributed?.name ?? 'none';
}

/** A table that is still local must not refer to a distributed one, so foreign keys are added at the end. */
const KEPT = 'distribution_foreign_keys';

interface ForeignKey {
  of_table: string;
  name: string;
  definition: string;
}

async function setForeignKeysAside(database: Database): Promise<void> {
  await createTransact(database)(async ({ sql }) => {
    await query(sql, `create table if not exists ${KEPT} (of_table text, name text, definition text)`);
    const added = await query<{ table: string; name: string }>(
      sql,
      `insert into ${KEPT}
       select conrelid::regclass::text, conname, pg_get_constraintdef(k.oid) from pg_constraint k
       join pg_class c on c.oid = k.conrelid
       where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace and k.conparentid = 0
         and c.oid not in (select logicalrelid::oid from pg_dist_partition)
       returning of_table as "table", name`,
    );
    for (const { table, name } of added) await query(sql, `alter table ${table} drop constraint ${name}`);
  });
}

/** Citus copies rows to the nodes, and leaves the originals on the coordinator, where they are invisible. */
async function removeLocalRows(database: Database): Promise<void> {
  const tables: Array<{ name: string }> = await database('pg_dist_partition')
    .whereIn('partmethod', ['h', 'n'])
    .whereRaw('pg_relation_size(logicalrelid) > 0')
    .select(database.raw('logicalrelid::text as name'));
  for (const { name } of tables) {
    await database.select(database.raw('truncate_local_data_after_distributing_table(?::regclass)', [name]));
  }
}

async function restoreForeignKeys(database: Database, print: Print): Promise<void> {
  const keys: ForeignKey[] = await database(KEPT).orderBy(['of_table', 'name']);
  for (const { of_table: table, name, definition } of keys) {
    await createTransact(database)(async ({ sql }) => {
      await query(sql, `alter table ${table} add constraint ${name} ${definition}`);
      await sql(KEPT).where({ of_table: table, name }).delete();
    });
    print(`${table}: ${name}`);
  }
  await query(database, `drop table ${KEPT}`);
}
