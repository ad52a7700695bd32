/** The users that the compose file creates, by its own script on a PostgreSQL of the tests. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { MEASUREMENTS } from '../../migrations/partitioned-tables.ts';
import { openDatabase } from '../../src/db/database.ts';
import { toExpectRowsOfEach } from '../../src/db/distribute.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createPartitions, dropPartitions } from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  FRIDGE,
  register,
  sendTemperature,
  untilEnded,
} from '../support/fleet.ts';
import { startReceiver } from '../support/receiver.ts';
import { newDatabase, servers } from '../support/servers.ts';
import { startService } from '../support/service.ts';

const script = fileURLToPath(new URL('../../deploy/database-users.sh', import.meta.url));

describe('The database users of the compose file', () => {
  const unique = randomUUID().slice(0, 8);
  const [owner, service, temporal] = ['owner', 'service', 'temporal'].map((name) => `${name}_${unique}`) as [
    string,
    string,
    string,
  ];
  let existing: string;

  before(async function () {
    if (!existsSync('/usr/bin/psql')) return this.skip();
    existing = new URL(await newDatabase()).pathname.slice(1);
    for (let run = 0; run < 2; run++) await setUp();
  });

  const setUp = () =>
    run([
      `${existing} ${owner} secret0 ${service} secret1`,
      `new_${unique} ${owner} secret0 ${service} secret1`,
      `other_${unique} ${temporal} secret2`,
    ]);

  async function run(owners: string[], path = process.env.PATH): Promise<void> {
    const superuser = new URL((await servers()).postgresUrl);
    execFileSync('sh', [script], {
      env: {
        PATH: path,
        PGHOST: superuser.hostname,
        PGPORT: superuser.port,
        PGUSER: superuser.username,
        PGPASSWORD: superuser.password,
        OWNERS: `${owners.join('\n')}\n`,
      },
      stdio: 'pipe',
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

  it('refuses a line with an empty or a missing value before it changes anything', async () => {
    const database = `empty_${unique}`;
    for (const line of [
      `${database} ${owner}  ${service} `,
      `${database} ${owner} secret0 ${service} `,
      `${database} ${owner}`,
      `${database} ${owner} secret0 ${service}`,
      `${database} ${owner} secret0 ${service} secret1 more`,
    ]) {
      const first = `first_${unique} ${owner} secret0`;
      await assert.rejects(
        run([first, line]),
        /OWNERS: line 2 must have 3 or 5 values, each after one blank/,
      );
    }
    const made = await ask((await servers()).postgresUrl, 'select datname from pg_database');
    const names = made.map(({ datname }) => datname);
    assert.deepEqual(
      names.filter((name) => name === database || name === `first_${unique}`),
      [],
    );
  });

  it('waits until a server has replayed its log after a recovery', async () => {
    const programs = mkdtempSync(join(tmpdir(), 'dms-recovery-'));
    const replayed = join(programs, 'replayed');
    const write = (name: string, text: string) =>
      writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    write('sleep', `touch ${replayed}`);
    write(
      'psql',
      `[ -e ${replayed} ] && exec /usr/bin/psql "$@"\ncase "$*" in *pg_is_in_recovery*) echo t ;; *) exit 1 ;; esac`,
    );
    try {
      await run([`${existing} ${owner} secret0 ${service} secret1`], `${programs}:${process.env.PATH}`);
      assert.ok(existsSync(replayed));
    } finally {
      rmSync(programs, { recursive: true });
    }
  });

  it('prints no password when a role cannot be changed', async () => {
    for (const line of [
      `${existing} pg_monitor secret9`,
      `${existing} ${owner} secret0 pg_monitor secret9`,
    ]) {
      await assert.rejects(run([line]), ({ message }: Error) => {
        assert.match(message, /"pg_monitor" is reserved/);
        assert.doesNotMatch(message, /secret/);
        return true;
      });
    }
  });

  it('lets the owner migrate a database without being a superuser, new or created by one', async () => {
    for (const database of [`new_${unique}`, existing]) {
      const url = await urlOf(owner, 'secret0', database);
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

  it('runs again without waiting for a transaction that reads, as a backup does', async () => {
    const reader = new pg.Client(await urlOf(owner, 'secret0', existing));
    await reader.connect();
    try {
      await reader.query('begin');
      await reader.query('select from organizations');
      await setUp();
    } finally {
      await reader.end();
    }
  });

  it('lets the service do all its work on rows and partitions, and change no table', async () => {
    const url = await urlOf(service, 'secret1', `new_${unique}`);
    const dms = await startService({ databaseUrl: url });
    const receiver = await startReceiver();
    await dms.api.post('/cellular-webhooks', { url: receiver.url });
    await register(dms, 'A');
    const slug = await createProfile(dms, { slug: 'cold', ...FRIDGE });
    const jobId = await apply(dms, slug, { serialNumbers: ['A'] });
    await applyAnswer(dms, 'A');
    // A month without a partition.
    await sendTemperature(dms, 'A', 4, new Date('2019-06-15T12:00:00Z'));
    assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
    await receiver.until(1);
    await Promise.all([dms.stop(), receiver.stop()]);

    const sql = openDatabase({ url, poolSize: 2, statementTimeoutMs: 0, applicationName: 'test' });
    await createPartitions(sql, MEASUREMENTS, new Date('2019-04-15'));
    const dropped = await dropPartitions(sql, MEASUREMENTS, new Date('2019-07-01'));
    await sql.destroy();
    assert.deepEqual(
      dropped,
      ['201904', '201905', '201906'].map((month) => `${MEASUREMENTS.name}_${month}`),
    );
    for (const change of [
      'drop table audit_entries',
      'alter table assets add column more text',
      'truncate assets',
      'create table mine ()',
      `select drop_partition('assets', 'assets')`,
      `select create_partition('mine', 'events', '', '')`,
    ]) {
      await assert.rejects(
        ask(url, change),
        /must be owner of|permission denied|not the name of a partition/,
      );
    }
  });

  it('adds partitions without statistics of organizations if the table has none', async () => {
    const database = `new_${unique}`;
    const superuser = Object.assign(new URL((await servers()).postgresUrl), {
      pathname: `/${database}`,
    }).href;
    await ask(superuser, toExpectRowsOfEach(MEASUREMENTS.name));
    const url = await urlOf(service, 'secret1', database);
    const sql = openDatabase({ url, poolSize: 2, statementTimeoutMs: 0, applicationName: 'test' });
    await createPartitions(sql, MEASUREMENTS, new Date('2018-04-15'));
    const targets = await query<{ target: number | null }>(
      sql,
      `select attstattarget as target from pg_attribute
       where attrelid = 'measurement_blocks_201804'::regclass and attname = 'organization_id'`,
    );
    await sql.destroy();
    assert.deepEqual(targets, [{ target: 0 }]);
  });

  it('keeps partitions from users who may only connect', async () => {
    const reader = `reader_${unique}`;
    const database = `new_${unique}`;
    const superuser = Object.assign(new URL((await servers()).postgresUrl), {
      pathname: `/${database}`,
    }).href;
    await ask(superuser, `create role ${reader} login password 'secret3'`);
    await ask(superuser, `grant connect on database ${database} to ${reader}`);
    await assert.rejects(
      ask(await urlOf(reader, 'secret3', database), `select drop_partition('events_201904', 'events')`),
      /permission denied for function drop_partition/,
    );
  });

  it("keeps the service and Temporal out of each other's databases", async () => {
    const denied = /permission denied for database/;
    await assert.rejects(ask(await urlOf(temporal, 'secret2', existing), 'select 1'), denied);
    await assert.rejects(ask(await urlOf(service, 'secret1', `other_${unique}`), 'select 1'), denied);
  });

  it('lets Temporal install the extension that its schema needs', async () => {
    await ask(await urlOf(temporal, 'secret2', `other_${unique}`), 'create extension btree_gin');
  });
});
