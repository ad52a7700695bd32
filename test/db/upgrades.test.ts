/** One release runs beside the next: what a process does on a schema that is not its own. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ensureDatabase } from '../../dev/embedded/ensure-database.ts';
import { migrations } from '../../migrations/index.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate, migrateTo } from '../../src/db/migrate.ts';
import { query } from '../../src/db/query.ts';
import { findSchemaFault } from '../../src/db/schema-check.ts';
import { eventually } from '../support/fleet.ts';
import { servers } from '../support/servers.ts';
import { endAll, run } from '../support/stack.ts';

const NAMES = Object.keys(migrations);
const LAST = NAMES.at(-1) as string;
/** What the release before knew. */
const EARLIER = NAMES.slice(0, -1);

describe('During an upgrade', () => {
  let url: string;
  let sql: Database;

  beforeEach(async () => {
    url = await ensureDatabase((await servers()).postgresUrl, `upgrades_${randomUUID().slice(0, 8)}`);
    sql = openDatabase({ url, poolSize: 6, statementTimeoutMs: 0, applicationName: 'test' });
  });
  afterEach(() => sql.destroy());
  after(endAll);

  it('a release finds its own schema and that of the next release right', async () => {
    await migrate(sql);
    assert.equal(await findSchemaFault(sql), null);
    assert.equal(await findSchemaFault(sql, EARLIER), null);
  });

  it('a release says that an older schema has to be migrated first', async () => {
    assert.match((await findSchemaFault(sql)) ?? '', /no schema yet: run "migrate"/);
    await migrateTo(sql, EARLIER);
    assert.match((await findSchemaFault(sql)) ?? '', new RegExp(`lacks ${LAST}: run "migrate" first`));
  });

  it('a release that is too old for the schema says so', async () => {
    await migrate(sql);
    await query(sql, 'update schema_support set needed_migration = ?', [LAST]);
    assert.match((await findSchemaFault(sql, EARLIER)) ?? '', new RegExp(`too new .* does not know ${LAST}`));
    assert.equal(await findSchemaFault(sql), null);
  });

  it('a process ends with the reason when the schema is older than it', async () => {
    await migrateTo(sql, EARLIER);
    const api = run('api', {
      DATABASE_URL: url,
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      SECRETS_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
      PORT: '0',
    });
    assert.equal(await api.exited, 1);
    assert.match(api.output(), new RegExp(`lacks ${LAST}: run "migrate" first`));
  });

  it('migrate of the earlier release leaves a later schema as it is', async () => {
    await migrate(sql);
    assert.deepEqual(await migrateTo(sql, EARLIER), []);
    assert.equal(await findSchemaFault(sql), null);
  });

  it('a migration that waits for a long transaction makes nobody else wait for long', async () => {
    await migrate(sql);
    await migrations['034-uncompacted-from'].down(sql);
    await query(sql, `delete from schema_migrations where name = '034-uncompacted-from'`);
    const long = await sql.transaction();
    await query(long, 'select from device_states');
    const migrating = migrate(sql);
    await eventually(() => isWaiting('alter table device_states'), Boolean);
    await query(sql, `set statement_timeout = '5s'; select from device_states`);
    await long.commit();
    assert.deepEqual(await migrating, ['034-uncompacted-from']);
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
