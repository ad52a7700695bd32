/** The service on a real Citus: see "A real Citus" in CONTRIBUTING.md. Skipped without CITUS_URL. */
import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { migrations } from '../../migrations/index.ts';
import { MEASUREMENTS } from '../../migrations/partitioned-tables.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { distribute } from '../../src/db/distribute.ts';
import { isRetryable } from '../../src/db/faults.ts';
import { migrate, migrateTo } from '../../src/db/migrate.ts';
import { splitByOrganization } from '../../src/db/one-organization.ts';
import { createPartitions, dropPartitions } from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import { readSourceStatements } from '../house/source-statements.ts';
import { newCitusDatabase, skipWithoutCitus } from '../support/citus.ts';
import {
  applyAnswer,
  createProfile,
  eventually,
  FRIDGE,
  register,
  sendTemperature,
  untilEnded,
} from '../support/fleet.ts';
import { call, forEvery, populate, removingLast } from '../support/operations.ts';
import { startReceiver } from '../support/receiver.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

describe('On Citus', () => {
  let sql: Database;
  let dms: TestService;
  let organizations: TestOrganization[];
  const refused: string[] = [];

  before(async function () {
    skipWithoutCitus(this);
    const url = await newCitusDatabase();
    sql = openDatabase({ url, poolSize: 2, statementTimeoutMs: 0, applicationName: 'test' });
    await migrate(sql);
    await distribute(sql, () => {});
    dms = await startService({ databaseUrl: url, settings: { isDatabaseDistributed: true } });
    dms.service.sql.on('query-error', (error: Error, { sql: text }: { sql: string }) =>
      isRetryable(error) ? null : refused.push(`${error.message.split(' - ').at(-1)} ← ${text}`),
    );
    organizations = [dms, await dms.addOrganization(), await dms.addOrganization()];
  });
  after(() => Promise.all([dms?.stop(), sql?.destroy()]));

  it('distributes nothing twice', async () => {
    const printed: string[] = [];
    await distribute(sql, (line) => printed.push(line));
    assert.deepEqual(printed, []);
  });

  it('distributes each table of a tenant, all of them on the same nodes', async () => {
    const rows = await query<{ table: string }>(
      sql,
      `select c.relname as "table" from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
       where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'api_keys'
         and not exists (select from pg_dist_partition where logicalrelid = c.oid and partmethod = 'h')`,
    );
    assert.deepEqual(rows, []);
    const groups = await query(
      sql,
      `select distinct colocationid from pg_dist_partition where partmethod = 'h'`,
    );
    assert.equal(groups.length, 1);
  });

  it('drops expired partitions', async () => {
    await createPartitions(sql, MEASUREMENTS, new Date('2019-06-15'));
    const dropped = await dropPartitions(sql, MEASUREMENTS, new Date('2019-07-01'));
    assert.ok(dropped.includes(`${MEASUREMENTS.name}_201906`), dropped.join());
    assert.deepEqual(await dropPartitions(sql, MEASUREMENTS, new Date('2019-07-01')), []);
  });

  it('runs migrations that were added after the distribution', async () => {
    const later = {
      up: (trx: Knex) => trx.raw('create index assets_later_idx on assets (organization_id, floor)'),
      down: (trx: Knex) => trx.raw('drop index assets_later_idx'),
    };
    assert.deepEqual(await migrateTo(sql, { ...migrations, '999-later': later }), ['999-later']);
  });

  it('configures devices of several organizations, with reports, alerts and webhooks', async () => {
    const receiver = await startReceiver();
    await Promise.all(
      organizations.map(async (organization) => {
        await populate(organization);
        await organization.api.post('/webhooks', { url: receiver.url, events: ['alert.created'] });
        const slug = await createProfile(organization, { slug: 'cold', ...FRIDGE });
        const serials = ['A', 'B', 'C'];
        for (const serial of serials) await register(organization, serial);
        const applied = await organization.api.put(`/devices/config-profiles/${slug}/apply`, {
          serialNumbers: serials,
        });
        await Promise.all(serials.map((serial) => applyAnswer(organization, serial)));
        await Promise.all(serials.map((serial) => sendTemperature(organization, serial, 12)));
        assert.equal((await organization.api.get('/alerts')).body.totalItems, 4);
        const job = await eventually(
          async () => (await organization.api.get(`/devices/config-jobs/${applied.body.jobId}`)).body,
          ({ status }) => status !== 'running',
        );
        assert.equal(job.status, 'succeeded');
      }),
    );
    await receiver.until(9);
    await receiver.stop();
  });

  it('offers profiles of groups to members, and removes members and groups', async () => {
    const [organization] = organizations as [TestOrganization];
    const { api } = organization;
    const slug = await createProfile(organization, { slug: 'group-cold', ...FRIDGE });
    const serialNumbers = ['G1', 'G2', 'G3'];
    for (const serial of serialNumbers) await register(organization, serial);
    const { id } = (await api.post('/groups', { name: 'Fridges' })).body;
    assert.equal((await api.post(`/groups/${id}/add-members`, { serialNumbers })).status, 200);
    const { status, body, text } = await api.patch(`/groups/${id}`, { name: 'Cold', profileSlug: slug });
    assert.equal(status, 200, text);
    assert.deepEqual([body.name, body.memberCount], ['Cold', 3]);
    await Promise.all(['G1', 'G2'].map((serial) => applyAnswer(organization, serial)));
    assert.equal(
      (await api.post(`/groups/${id}/remove-members`, { serialNumbers: ['G1', 'G3'] })).status,
      200,
    );
    assert.equal((await api.get(`/groups/${id}`)).body.memberCount, 1);
    const { counts } = await untilEnded(organization, body.jobId);
    assert.deepEqual([counts.applied, counts.cancelled], [2, 1]);
    assert.equal((await api.delete(`/groups/${id}`)).status, 204);
    assert.deepEqual((await api.get(`/assets?groupId=${id}`)).body.items, []);
  });

  it('serves every operation', async () => {
    const [organization] = organizations as [TestOrganization];
    const fixtures = await populate(organization);
    await forEvery(removingLast(dms.service.routes), async (route) => {
      const { status, text } = await call(organization, route, fixtures);
      assert.ok(status < 500, `${status} ${text}`);
    });
  });

  it('refuses no statement', () => {
    assert.deepEqual([...new Set(refused)], []);
  });

  it('runs every statement of the source for one organization', async () => {
    const faults: string[] = [];
    for (const { path, owner, texts } of readSourceStatements()) {
      if (NOT_RUN.some((each) => `${path} ${owner} `.startsWith(each))) continue;
      // Among variants with conditional parts, the one with most bindings names the organization.
      const most = Math.max(...texts.map(countBindings));
      for (const text of texts.filter((each) => countBindings(each) === most)) {
        const fault = await run(text);
        if (fault !== null) faults.push(`${path} ${owner}: ${fault}`);
      }
    }
    assert.deepEqual([...new Set(faults)], []);
  });

  /** Rolls back. Returns the error, if any, unless the values of the bindings cause it. */
  async function run(text: string): Promise<string | null> {
    const bindings = [...text.matchAll(BINDING)].map(([, before = '', type = '']) => toValue(before, type));
    const [part] = splitByOrganization(text, bindings);
    if (part === undefined) return 'names no organization';
    let count = 0;
    const numbered = part.text.replace(/\\?\?/g, (mark) => (mark === '?' ? `$${++count}` : '?'));
    const values = part.bindings.map((value) =>
      value === null ? 'null' : `'${Array.isArray(value) ? `{${value}}` : value}'`,
    );
    const connection = await sql.client.acquireConnection();
    try {
      await connection.query(`begin; prepare statement as ${numbered}`);
      await connection.query(`execute statement${count > 0 ? `(${values.join()})` : ''}`);
      return null;
    } catch (error) {
      const { message } = error as Error;
      return /violates (not-null|foreign key) constraint|NULL.*partition column|partition column.*NULL/.test(
        message,
      )
        ? null
        : message;
    } finally {
      await connection.query('rollback; deallocate all');
      await sql.client.releaseConnection(connection);
    }
  }
});

const ORGANIZATION = '01900000-0000-7000-8000-000000000000';
const BINDING = /(unnest\(|\w*id = |limit |secs => )?(?<!\\)\?(::\w+(?:\[\])?)?/g;
const countBindings = (text: string): number => text.match(BINDING)?.length ?? 0;

/** Null is avoided where it ends a statement before it reaches a node. */
function toValue(before: string, type: string): string | string[] | null {
  if (type.endsWith('[]')) return before === 'unnest(' && type === '::uuid[]' ? [ORGANIZATION] : [];
  if (type === '::timestamptz') return '2026-03-02T08:00:00Z';
  if (before === 'limit ' || before === 'secs => ') return '1';
  return before.endsWith('id = ') || type === '::uuid' ? ORGANIZATION : null;
}

/** Statements that are not sent where tables are distributed, or that take names of tables and channels. */
const NOT_RUN: string[] = [
  'src/commands/',
  'src/db/distribute.ts',
  'src/db/partitions.ts',
  'src/deliveries/claims.repository.ts claimNew ',
];
