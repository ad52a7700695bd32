/**
 * With DATABASE_DISTRIBUTED, on a PostgreSQL without Citus: each statement that locks rows names one
 * organization, and has the same effect as without the setting.
 */
import assert from 'node:assert/strict';
import { openDatabase } from '../../src/db/database.ts';
import { splitByOrganization } from '../../src/db/one-organization.ts';
import { query } from '../../src/db/query.ts';
import { createClaimSpans } from '../../src/deliveries/claim-spans.ts';
import { createClaimsRepository } from '../../src/deliveries/claims.repository.ts';
import {
  applyAnswer,
  createProfile,
  eventually,
  FRIDGE,
  register,
  sendTemperature,
} from '../support/fleet.ts';
import { populate } from '../support/operations.ts';
import { startReceiver } from '../support/receiver.ts';
import { type TestOrganization, useService } from '../support/service.ts';

const LOCKS = /\bfor (no key )?(update|share|key share)\b/;

describe('With the tables distributed by organization', () => {
  const dms = useService({ settings: { isDatabaseDistributed: true } });
  let organizations: TestOrganization[];
  const seen: Array<{ sql: string; bindings: unknown[] }> = [];

  before(async () => {
    dms.service.sql.on('query', ({ sql, bindings = [] }) => seen.push({ sql, bindings }));
    organizations = [dms, await dms.addOrganization(), await dms.addOrganization()];
  });

  it('configures devices of several organizations side by side, with reports, alerts and webhooks', async () => {
    const receiver = await startReceiver();
    await Promise.all(
      organizations.map(async (organization) => {
        await populate(organization);
        await organization.api.post('/webhooks', { url: receiver.url, events: ['alert.created'] });
        const slug = await createProfile(organization, { slug: 'cold', ...FRIDGE });
        const serials = ['A', 'B', 'C'];
        for (const serial of serials) await register(organization, serial);
        await organization.api.put(`/devices/config-profiles/${slug}/apply`, { serialNumbers: serials });
        await Promise.all(serials.map((serial) => applyAnswer(organization, serial)));
        await Promise.all(serials.map((serial) => sendTemperature(organization, serial, 12)));
        assert.equal((await organization.api.get('/alerts')).body.totalItems, 4);
      }),
    );
    await receiver.until(9);
    await receiver.stop();
  });

  it('names exactly one organization in a statement that locks rows', async () => {
    const ids = new Set(organizations.map(({ id }) => id));
    await eventually(
      async () => locking().length,
      (count) => count > 20,
    );
    const named = locking().map(({ sql, bindings }) => {
      const own = new Set(bindings.flat().filter((each) => ids.has(each as string)));
      return { sql, count: own.size };
    });
    assert.deepEqual(
      named.filter(({ count }) => count !== 1),
      [],
    );
  });

  const locking = () => seen.filter(({ sql }) => LOCKS.test(sql));

  it('claims new deliveries of several endpoints', async () => {
    const { databaseUrl } = dms.settings;
    const sql = openDatabase({
      url: databaseUrl,
      poolSize: 2,
      statementTimeoutMs: 5_000,
      applicationName: 'test',
      isDistributed: true,
    });
    const statements: string[] = [];
    sql.on('query', ({ sql: text }) => statements.push(text));
    const rows = await query<{ organizationId: string; endpointId: string }>(
      sql,
      `select distinct organization_id as "organizationId", endpoint_id as "endpointId" from deliveries`,
    );
    await query(
      sql,
      `update deliveries set state = 'pending', leased_until = null, leased_by = null, next_attempt_at = null`,
    );
    await query(sql, `update endpoints set breaker = 'closed', status = 'active'`);
    const claims = createClaimsRepository(sql, '00000000-0000-7000-8000-000000000001');
    statements.length = 0;
    const capacities = rows.map((endpoint) => ({ ...endpoint, capacity: 1 }));
    await claims.claimNew(capacities, createClaimSpans().of(capacities), 60);
    assert.equal(statements.length, capacities.length);
    await sql.destroy();
  });
});

describe('A statement about rows of several organizations', () => {
  const TEXT = `select * from unnest(?::uuid[], ?::text[]) with ordinality
    as n (organization_id, name, position) where kind = ?`;

  it('splits into one statement for each organization, with its own rows', () => {
    const parts = splitByOrganization(TEXT, [['b', 'a', 'b'], ['one', 'two', 'three'], 'x']);
    assert.deepEqual(
      parts.map(({ bindings }) => bindings),
      [
        ['a', ['two'], 'x'],
        ['b', ['one', 'three'], 'x'],
      ],
    );
    assert.match(
      parts[0]?.text ?? '',
      /\(select \?::uuid as organization_id, own\.\* from unnest\(\?::text\[\]\)/,
    );
  });

  it('splits arrays in text form, including quoted elements', () => {
    const parts = splitByOrganization(TEXT, ['{a,b,a}', '{"{1,2}",null,x}', 'x']);
    assert.deepEqual(
      parts.map(({ bindings }) => bindings),
      [
        ['a', ['{1,2}', 'x'], 'x'],
        ['b', [null], 'x'],
      ],
    );
  });

  it('compares each joined table with the organization', () => {
    const text =
      'select from assets a join devices d on d.organization_id = a.organization_id where a.organization_id = ?';
    assert.deepEqual(splitByOrganization(text, ['a']), [
      {
        text: 'select from assets a join devices d on d.organization_id = a.organization_id and d.organization_id = ? where a.organization_id = ?',
        bindings: ['a', 'a'],
      },
    ]);
  });

  it('compares each table that is joined by an id with all ids of its rows, once each', () => {
    const text = `update devices d set name = n.name from unnest(?::uuid[], ?::uuid[], ?::text[])
      as n (organization_id, id, name) where d.id = n.id and d.name <> n.name`;
    const parts = splitByOrganization(text, [
      ['a', 'b', 'a', 'a'],
      ['1', '2', '3', '1'],
      ['w', 'x', 'y', 'z'],
    ]);
    assert.deepEqual(
      parts.map(({ bindings }) => bindings),
      [
        ['a', ['1', '3', '1'], ['w', 'y', 'z'], ['1', '3']],
        ['b', ['2'], ['x'], ['2']],
      ],
    );
    assert.match(
      parts[0]?.text ?? '',
      /where \(d\.id = n\.id and d\.id = any\(\?::uuid\[\]\)\) and d\.name <> n\.name$/,
    );
  });

  it('distinguishes rows of the same name in several of its parts', () => {
    const part = (table: string) =>
      `update ${table} t set x = 1 from unnest(?::uuid[], ?::uuid[]) as n (organization_id, id) where t.id = n.id`;
    const text = `with first as (${part('one')}) ${part('two')}`;
    const [only] = splitByOrganization(text, [['a'], ['1'], ['a'], ['2']]);
    assert.deepEqual(only?.bindings, ['a', ['1'], ['1'], 'a', ['2'], ['2']]);
  });

  it('leaves a statement unchanged that names an organization already, or none', () => {
    const text = 'select from assets where organization_id = ? and id = any(?::uuid[])';
    assert.deepEqual(splitByOrganization(text, ['a', ['b']]), [{ text, bindings: ['a', ['b']] }]);
    assert.deepEqual(splitByOrganization(TEXT, [[], [], 'x']), [{ text: TEXT, bindings: [[], [], 'x'] }]);
  });
});
