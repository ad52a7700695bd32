/** The schema: every migration can be taken back, and any number of processes may bring it up to date. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { ensureDatabase } from '../../dev/embedded/ensure-database.ts';
import { migrations } from '../../migrations/index.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate, rollbackAll } from '../../src/db/migrate.ts';
import { query } from '../../src/db/query.ts';
import { servers } from '../support/servers.ts';

const ROOT = new URL('../../', import.meta.url);
const NAMES = Object.keys(migrations) as Array<keyof typeof migrations>;
/** They change rows and leave the schema as it is. */
const DATA_ONLY: string[] = ['022-device-info-without-tokens'];
/** The migrator's own. */
const BOOKS = ['schema_migrations', 'schema_migrations_lock'];

/** Everything that PostgreSQL knows of the schema, one line each. */
const SCHEMA = `
  select concat_ws(' ', 'table', c.relname, c.relkind, c.reloptions::text, pg_get_expr(c.relpartbound, c.oid),
      case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end) as line, c.relname as name
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
  union all
  select concat_ws(' ', 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attstorage,
      a.attcollation, a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid)), c.relname
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
  union all
  select concat_ws(' ', 'constraint', c.relname, o.conname, o.convalidated, pg_get_constraintdef(o.oid)), c.relname
  from pg_constraint o join pg_class c on c.oid = o.conrelid where o.connamespace = 'public'::regnamespace
  union all
  select concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), x.reloptions::text), c.relname
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
  where c.relnamespace = 'public'::regnamespace
  union all
  select concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid)), c.relname
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = 'public'::regnamespace and not t.tgisinternal
  union all
  select concat_ws(' ', 'function', pg_get_functiondef(p.oid)), p.proname from pg_proc p
  where p.pronamespace = 'public'::regnamespace
  union all
  select concat_ws(' ', 'type', t.typname, t.typtype), t.typname from pg_type t
  where t.typnamespace = 'public'::regnamespace and t.typtype in ('e', 'd', 'r')
  union all
  select concat_ws(' ', 'extension', extname), extname from pg_extension`;

describe('The migrations', () => {
  let url: string;
  let sql: Database;

  /** Each test begins with an empty database. */
  beforeEach(async () => {
    url = await ensureDatabase((await servers()).postgresUrl, `migrations_${randomUUID().slice(0, 8)}`);
    sql = open();
  });
  afterEach(() => sql.destroy());

  const open = () => openDatabase({ url, poolSize: 4, statementTimeoutMs: 0, applicationName: 'test' });

  async function schema(): Promise<string[]> {
    const rows = await query<{ line: string; name: string }>(
      sql,
      `select * from (${SCHEMA}) as schema order by line`,
    );
    return rows.filter(({ name }) => !name.startsWith('schema_migrations')).map(({ line }) => line);
  }

  it('are all listed, in the order of their numbers, each number once', () => {
    const files = readdirSync(new URL('migrations/', ROOT)).filter((name) => /^\d/.test(name));
    assert.deepEqual(
      NAMES,
      files.sort().map((name) => name.replace(/\.ts$/, '')),
    );
    assert.equal(new Set(NAMES.map((name) => name.slice(0, 3))).size, NAMES.length);
  });

  it('up, all down and up again give the same schema, and nothing in between', async () => {
    const empty = await schema();
    assert.deepEqual(await migrate(sql), NAMES);
    const full = await schema();
    assert.ok(full.length > NAMES.length);
    await rollbackAll(sql);
    assert.deepEqual(await schema(), empty);
    assert.deepEqual(await migrate(sql), NAMES);
    assert.deepEqual(await schema(), full);
  });

  it('each take back what they did, and can be run again', async () => {
    for (const name of NAMES) {
      const before = await schema();
      await migrations[name].up(sql);
      const after = await schema();
      if (!DATA_ONLY.includes(name)) assert.notDeepEqual(after, before, `${name} does nothing`);
      await migrations[name].down(sql);
      assert.deepEqual(await schema(), before, `down of ${name}`);
      await migrations[name].up(sql);
      assert.deepEqual(await schema(), after, `${name} again`);
    }
  });

  it('run again change nothing, neither schema nor rows', async () => {
    await migrate(sql);
    await query(sql, `insert into organizations (name) values ('kept')`);
    const before = [await schema(), await query(sql, 'select * from organizations')];
    assert.deepEqual(await migrate(sql), []);
    assert.deepEqual([await schema(), await query(sql, 'select * from organizations')], before);
  });

  it('remove tokens from device info that was stored before', async () => {
    await migrate(sql);
    await query(
      sql,
      `with o as (insert into organizations (name) values ('before') returning id),
         a as (insert into assets (organization_id, serial_number, name)
           select id, 'LOGGER', 'Fridge' from o returning organization_id, id),
         d as (insert into device_states (organization_id, asset_id, device_info)
           select organization_id, id, '{"cloudToken": "dev_secret", "softwareVersion": "07.02"}' from a)
       select from a`,
    );
    await migrations['022-device-info-without-tokens'].up(sql);
    const rows = await query<{ info: object }>(sql, 'select device_info as info from device_states');
    assert.deepEqual(rows, [{ info: { softwareVersion: '07.02' } }]);
  });

  it('copy the certificates that are there into chunks, in batches, and go on where a run broke off', async () => {
    const position = NAMES.indexOf('023-certificate-chunks');
    for (const name of NAMES.slice(0, position)) await migrations[name].up(sql);
    await query(
      sql,
      `with o as (insert into organizations (name) values ('before') returning id),
         c as (select n, convert_to(repeat('%PDF-', n * 2000), 'UTF8') as content from generate_series(1, 45) as n)
       insert into certificates (organization_id, serial_key, content, size_bytes, sha256)
       select o.id, 's' || c.n, c.content, length(c.content), sha256(c.content) from o, c`,
    );
    await migrations['023-certificate-chunks'].up(sql);
    await query(
      sql,
      `update certificates set content_id = null, chunked_sha256 = null where serial_key = 's45'`,
    );
    await migrations['023-certificate-chunks'].up(sql);
    const rows = await query<{ count: number; same: number }>(
      sql,
      `select count(*), count(*) filter (where chunked_sha256 = sha256 and content = (
         select string_agg(k.content, '' order by position) from certificate_chunks k
         where k.organization_id = c.organization_id and k.content_id = c.content_id)) as same
       from certificates c`,
    );
    assert.deepEqual(rows, [{ count: 45, same: 45 }]);
  });

  it('keep their lock while one of them runs for longer than a transaction may be idle', async () => {
    await migrate(sql);
    const session = { idle_in_transaction_session_timeout: '700ms' };
    const impatient = openDatabase({
      url,
      poolSize: 4,
      statementTimeoutMs: 0,
      applicationName: 'test',
      session,
    });
    const blocker = await sql.transaction();
    await query(blocker, 'lock table schema_migrations');
    const migrating = migrate(impatient);
    await query(blocker, 'select pg_sleep(2)');
    await blocker.commit();
    assert.deepEqual(await migrating, []);
    await impatient.destroy();
  });

  it('run by two processes at once are run by one of them', async () => {
    const env = { ...process.env, DATABASE_URL: url };
    const run = () =>
      promisify(execFile)(process.execPath, ['--import=#typescript', 'src/bin/cli.ts', 'migrate'], {
        cwd: ROOT,
        env,
      });
    const outputs = (await Promise.all([run(), run()])).map(({ stdout }) => stdout).sort();
    assert.equal(outputs[0], `Migrated: ${NAMES.join(', ')}\n`);
    assert.equal(outputs[1], 'The schema is up to date\n');
  });

  it('run by many at once are run once', async () => {
    const handles = Array.from({ length: 5 }, open);
    const runs = await Promise.all(handles.map(migrate));
    await Promise.all(handles.map((handle) => handle.destroy()));
    assert.deepEqual(
      runs.filter((names) => names.length > 0),
      [NAMES],
    );
  });

  it('go on where a process that was killed has left the lock of its migrator', async () => {
    await migrate(sql);
    await query(sql, 'update schema_migrations_lock set is_locked = 1');
    assert.deepEqual(await migrate(sql), []);
  });

  it('keep text as text and times with their zone', async () => {
    await migrate(sql);
    const others = await query<{ name: string }>(
      sql,
      `select table_name || '.' || column_name || ' ' || data_type as name from information_schema.columns
       where table_schema = 'public' and table_name <> all(?::text[])
         and data_type in ('character varying', 'character', 'timestamp without time zone', 'time without time zone')`,
      [BOOKS],
    );
    assert.deepEqual(others, []);
  });

  it('give every table a primary key, and every constraint the name of its table', async () => {
    await migrate(sql);
    const tables = await query<{ name: string; keys: string }>(
      sql,
      `select c.relname as name, count(o.oid) filter (where o.contype = 'p') as keys
       from pg_class c left join pg_constraint o on o.conrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') group by 1`,
    );
    assert.deepEqual(
      tables.filter(({ keys }) => Number(keys) !== 1),
      [],
    );
    const strangers = await query<{ name: string }>(
      sql,
      `select c.relname || '.' || o.conname as name from pg_constraint o join pg_class c on c.oid = o.conrelid
       where o.connamespace = 'public'::regnamespace and not starts_with(o.conname, c.relname) and c.relname <> all(?::text[])
         and not c.relispartition`,
      [BOOKS],
    );
    assert.deepEqual(strangers, []);
  });
});
