/** One release runs beside the next: processes on a schema that is not their own. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { ensureDatabase } from '../../dev/embedded/ensure-database.ts';
import { migrations } from '../../migrations/index.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { type Migrations, migrate, migrateTo } from '../../src/db/migrate.ts';
import { query } from '../../src/db/query.ts';
import { findSchemaFault } from '../../src/db/schema-check.ts';
import { eventually } from '../support/fleet.ts';
import { newDatabase, servers } from '../support/servers.ts';
import { endAll, run } from '../support/stack.ts';

const LAST = Object.keys(migrations).at(-1) as string;
/** A release without the last migration, and one with an additional migration. */
const EARLIER: Migrations = Object.fromEntries(Object.entries(migrations).slice(0, -1));
const NEXT = '999-next';
const LATER: Migrations = {
  ...migrations,
  [NEXT]: {
    up: (sql: Knex) => sql.raw('alter table device_states add column next timestamptz'),
    down: (sql: Knex) => sql.raw('alter table device_states drop column next'),
  },
};

let url: string;
let sql: Database;
const open = () => openDatabase({ url, poolSize: 6, statementTimeoutMs: 0, applicationName: 'test' });

describe('During an upgrade', () => {
  beforeEach(async () => {
    url = await newDatabase();
    sql = open();
  });
  afterEach(() => sql.destroy());

  it('accepts the schema of its own release and that of the next one', async () => {
    assert.equal(await findSchemaFault(sql), null);
    assert.deepEqual(await migrateTo(sql, LATER), [NEXT]);
    assert.equal(await findSchemaFault(sql), null);
  });

  it('reports that the release is too old for the schema', async () => {
    await migrateTo(sql, LATER);
    await query(sql, 'update schema_support set needed_migration = ?', [NEXT]);
    assert.match((await findSchemaFault(sql)) ?? '', new RegExp(`too new .* does not know ${NEXT}`));
    assert.equal(await findSchemaFault(sql, Object.keys(LATER)), null);
  });

  it('leaves a later schema as it is when the earlier release migrates', async () => {
    await migrateTo(sql, LATER);
    assert.deepEqual(await migrate(sql), []);
    assert.equal(await findSchemaFault(sql, Object.keys(LATER)), null);
  });

  it('keeps a migration that waits for a long transaction from delaying others for long', async () => {
    const long = await sql.transaction();
    await query(long, 'select from device_states');
    const migrating = migrateTo(sql, LATER);
    await eventually(() => isWaiting('alter table device_states'), Boolean);
    await query(sql, `set statement_timeout = '5s'; select from device_states`);
    await long.commit();
    assert.deepEqual(await migrating, [NEXT]);
  });

  async function isWaiting(statement: string): Promise<boolean> {
    const rows = await query(
      sql,
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and position(? in query) > 0 and query not like '%pg_stat_activity%'`,
      [statement],
    );
    return rows.length > 0;
  }
});

describe('A process on an older schema', () => {
  beforeEach(async () => {
    url = await ensureDatabase((await servers()).postgresUrl, `upgrades_${randomUUID().slice(0, 8)}`);
    sql = open();
  });
  afterEach(() => sql.destroy());
  after(endAll);

  it('reports that an older schema has to be migrated first', async () => {
    assert.match((await findSchemaFault(sql)) ?? '', /no schema yet: run "migrate"/);
    await migrateTo(sql, EARLIER);
    assert.match((await findSchemaFault(sql)) ?? '', new RegExp(`lacks ${LAST}: run "migrate" first`));
  });

  describe('from a version before the first release', () => {
    const REFUSED = /made by a version before the first release.*create a new database/;

    beforeEach(async () => {
      await query(
        sql,
        'create table schema_migrations (name text, batch integer, migration_time timestamptz)',
      );
      await query(
        sql,
        `insert into schema_migrations (name, batch, migration_time)
         select name, 1, now() from unnest(array['001-organizations', '002-api-keys', '015-measurements']) as name`,
      );
    });

    it('refuses to migrate the database, and leaves it as it is', async () => {
      await assert.rejects(migrate(sql), REFUSED);
      const rows = await query(sql, `select name from schema_migrations order by name`);
      assert.equal(rows.length, 3);
      const tables = await query(
        sql,
        `select from pg_tables where tablename in ('organizations', 'api_keys')`,
      );
      assert.equal(tables.length, 0);
    });

    it('ends processes and npm start with instructions', async () => {
      assert.match((await findSchemaFault(sql)) ?? '', REFUSED);
      const dataDir = mkdtempSync(join(tmpdir(), 'dms-upgrades-'));
      const temporal = { TEMPORAL_ADDRESS: '127.0.0.1:9', COAP_PORT: '0' };
      const ended = [
        runApi(),
        run('start', { DATABASE_URL: url, DATA_DIR: dataDir, PORT: '0', ...temporal }),
      ];
      for (const each of ended) {
        assert.equal(await each.exited, 1);
        assert.match(each.output(), REFUSED);
        assert.doesNotMatch(each.output(), /\n +at /, 'no stack trace');
      }
      rmSync(dataDir, { recursive: true });
    });
  });

  const runApi = () =>
    run('api', {
      DATABASE_URL: url,
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      SECRETS_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
      PORT: '0',
    });
});
