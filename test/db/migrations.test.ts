/** The schema: every migration can be reverted, and any number of processes may bring it up to date. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { ensureDatabase } from '../../dev/embedded/ensure-database.ts';
import { migrations } from '../../migrations/index.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { query } from '../../src/db/query.ts';
import { runCommand } from '../support/command-line.ts';
import { eventually } from '../support/fleet.ts';
import { newDatabase, servers } from '../support/servers.ts';

const ROOT = new URL('../../', import.meta.url);
const NAMES = Object.keys(migrations) as Array<keyof typeof migrations>;
/** Tables of the migrator itself. */
const BOOKS = ['schema_migrations', 'schema_migrations_lock'];

/** Everything that PostgreSQL knows about the schema, one line each. */
const SCHEMA = `
  select concat_ws(' ', 'table', c.relname, c.relkind, c.reloptions::text, pg_get_expr(c.relpartbound, c.oid),
      case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end) as line, c.relname as name
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
  union all
  select concat_ws(' ', 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attstorage,
      a.attcollation, a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum)), c.relname
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

let url: string;
let sql: Database;
const open = () => openDatabase({ url, poolSize: 4, statementTimeoutMs: 0, applicationName: 'test' });

async function schema(): Promise<string[]> {
  const rows = await query<{ line: string; name: string }>(
    sql,
    `select * from (${SCHEMA}) as schema order by line`,
  );
  return rows.filter(({ name }) => !name.startsWith('schema_migrations')).map(({ line }) => line);
}

describe('The migrations of an empty database', () => {
  beforeEach(async () => {
    url = await ensureDatabase((await servers()).postgresUrl, `migrations_${randomUUID().slice(0, 8)}`);
    sql = open();
  });
  afterEach(() => sql.destroy());

  it('lists all migrations, numbered from 001 on without gaps', () => {
    const files = readdirSync(new URL('migrations/', ROOT)).filter((name) => /^\d/.test(name));
    assert.deepEqual(
      NAMES,
      files.sort().map((name) => name.replace(/\.ts$/, '')),
    );
    assert.deepEqual(
      NAMES.map((name) => Number(name.slice(0, 3))),
      NAMES.map((_, index) => index + 1),
    );
  });

  it('reverts and repeats each migration', async () => {
    let before = await schema();
    for (const name of NAMES) {
      await migrations[name].up(sql);
      const after = await schema();
      assert.notDeepEqual(after, before, `${name} does nothing`);
      await migrations[name].down(sql);
      assert.deepEqual(await schema(), before, `down of ${name}`);
      await migrations[name].up(sql);
      assert.deepEqual(await schema(), after, `${name} again`);
      before = after;
    }
  });

  it('changes nothing when run again, neither schema nor rows', async () => {
    assert.equal((await runCommand(url, 'migrate')).stdout, `Migrated: ${NAMES.join(', ')}\n`);
    await query(sql, `insert into organizations (name) values ('kept')`);
    const before = [await schema(), await query(sql, 'select * from organizations')];
    assert.equal((await runCommand(url, 'migrate')).stdout, 'The schema is up to date\n');
    assert.deepEqual([await schema(), await query(sql, 'select * from organizations')], before);
  });

  it('runs migrations once for many concurrent processes', async () => {
    const handles = Array.from({ length: 5 }, open);
    const runs = await Promise.all(handles.map(migrate));
    await Promise.all(handles.map((handle) => handle.destroy()));
    assert.deepEqual(
      runs.filter((names) => names.length > 0),
      [NAMES],
    );
  });
});

describe('The migrations of a migrated database', () => {
  beforeEach(async () => {
    url = await newDatabase();
    sql = open();
  });
  afterEach(() => sql.destroy());

  it('gives existing devices the settings that they run', async () => {
    await migrations['043-device-settings'].down(sql);
    const [organization] = await query<{ id: string }>(
      sql,
      `insert into organizations (name) values ('before') returning id`,
    );
    const [asset] = await query<{ id: string }>(
      sql,
      `insert into assets (organization_id, serial_number, name) values (?, 'S', 'S') returning id`,
      [organization?.id],
    );
    const configId = randomUUID();
    await query(
      sql,
      `with configuration as (
         insert into configurations (organization_id, id, content) values
           (?, ?, '{"measurementPeriodBase":60,"measurementPeriodFactor":5,"transmissionInterval":3600}')
       )
       insert into device_configs (organization_id, asset_id, reported_config_id, confirmed_config_id, reported_at)
       values (?, ?, ?, ?, '2026-03-02T08:00:00Z')`,
      [organization?.id, configId, organization?.id, asset?.id, configId, configId],
    );
    await migrations['043-device-settings'].up(sql);
    const rows = await query(
      sql,
      `select from_at, config_id, measurement_period_seconds as period, transmission_interval_seconds as interval, source
       from device_settings`,
    );
    assert.deepEqual(rows, [
      {
        from_at: new Date('2026-03-02T08:00:00Z'),
        config_id: configId,
        period: 300,
        interval: 3_600,
        source: 'report',
      },
    ]);
  });

  it('keeps the lock while a migration runs for longer than a transaction may be idle', async () => {
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
    await eventually(
      () => findIdleMs('pg_try_advisory_xact_lock'),
      (idleMs) => idleMs > 900,
    );
    await blocker.commit();
    assert.deepEqual(await migrating, []);
    await impatient.destroy();
  });

  /** How long the transaction whose last statement this was has been idle. */
  async function findIdleMs(statement: string): Promise<number> {
    const [row] = await query<{ idleMs: number }>(
      sql,
      `select coalesce(max(extract(epoch from clock_timestamp() - state_change)), 0)::float8 * 1000 as "idleMs"
       from pg_stat_activity
       where datname = current_database() and state = 'idle in transaction' and position(? in query) > 0`,
      [statement],
    );
    return row?.idleMs ?? 0;
  }

  it('continues where a killed process has left the lock of its migrator', async () => {
    await query(sql, 'update schema_migrations_lock set is_locked = 1');
    assert.deepEqual(await migrate(sql), []);
  });

  it('keeps text as text and times with their zone', async () => {
    const others = await query<{ name: string }>(
      sql,
      `select table_name || '.' || column_name || ' ' || data_type as name from information_schema.columns
       where table_schema = 'public' and table_name <> all(?::text[])
         and data_type in ('character varying', 'character', 'timestamp without time zone', 'time without time zone')`,
      [BOOKS],
    );
    assert.deepEqual(others, []);
  });

  it('gives every table a primary key, and every constraint the name of its table', async () => {
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
