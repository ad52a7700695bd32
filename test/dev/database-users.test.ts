/** The users that the compose file makes, with its own script on a PostgreSQL of the tests. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { newDatabase, servers } from '../support/servers.ts';

const script = fileURLToPath(new URL('../../deploy/database-users.sh', import.meta.url));

describe('The database users of the compose file', function () {
  this.timeout(30_000);
  const unique = randomUUID().slice(0, 8);
  const [service, temporal] = [`service_${unique}`, `temporal_${unique}`];
  let existing: string;

  before(async function () {
    if (!existsSync('/usr/bin/psql')) return this.skip();
    existing = new URL(await newDatabase()).pathname.slice(1);
    for (let run = 0; run < 2; run++) await setUp();
  });

  async function setUp(): Promise<void> {
    const superuser = new URL((await servers()).postgresUrl);
    const owners = [
      `${existing} ${service} secret1`,
      `new_${unique} ${service} secret1`,
      `other_${unique} ${temporal} secret2`,
    ];
    execFileSync('sh', [script], {
      env: {
        PATH: process.env.PATH,
        PGHOST: superuser.hostname,
        PGPORT: superuser.port,
        PGUSER: superuser.username,
        PGPASSWORD: superuser.password,
        OWNERS: `${owners.join('\n')}\n`,
      },
    });
  }

  async function urlOf(user: string, password: string, database: string): Promise<string> {
    const url = new URL((await servers()).postgresUrl);
    return Object.assign(url, { username: user, password, pathname: `/${database}` }).href;
  }

  async function ask(url: string, sql: string) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  it('lets the service migrate and use its database without being a superuser, new or made by one', async () => {
    for (const database of [`new_${unique}`, existing]) {
      const url = await urlOf(service, 'secret1', database);
      const sql = openDatabase({ url, poolSize: 2, statementTimeoutMs: 0, applicationName: 'test' });
      await migrate(sql);
      await sql.destroy();
      assert.deepEqual(await ask(url, "insert into organizations (name) values ('any') returning name"), [
        { name: 'any' },
      ]);
      await ask(url, 'alter table organizations add column more text');
      const [role] = await ask(
        url,
        'select rolsuper, rolcreaterole, rolcreatedb from pg_roles where rolname = current_user',
      );
      assert.deepEqual(role, { rolsuper: false, rolcreaterole: false, rolcreatedb: false });
    }
  });

  it('keep the service and Temporal out of the databases of each other', async () => {
    const denied = /permission denied for database/;
    await assert.rejects(ask(await urlOf(temporal, 'secret2', existing), 'select 1'), denied);
    await assert.rejects(ask(await urlOf(service, 'secret1', `other_${unique}`), 'select 1'), denied);
  });

  it('let Temporal install the extension that its schema needs', async () => {
    await ask(await urlOf(temporal, 'secret2', `other_${unique}`), 'create extension btree_gin');
  });
});
