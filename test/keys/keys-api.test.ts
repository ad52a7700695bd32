/** Keys by API: admins create, list and delete the keys of their organization. */
import assert from 'node:assert/strict';
import { parseKeyKind } from '../../src/keys/api-key.ts';
import { createKeysRepository } from '../../src/keys/keys.repository.ts';
import { createOrganizationsRepository } from '../../src/keys/organizations.repository.ts';
import { eventually, register } from '../support/fleet.ts';
import { untilLockWaits, whileLocked } from '../support/lock-waits.ts';
import { useOrganization, useService } from '../support/service.ts';

const IN_A_YEAR = new Date(Date.now() + 365 * 24 * 3_600_000).toISOString();

describe('Keys by API', () => {
  const dms = useService({ withWorker: false, now: () => new Date(Date.now() + aheadMs) });
  const own = useOrganization(dms);
  /** How far the service's clock is ahead. */
  let aheadMs = 0;

  async function create(body: object): Promise<{ id: string; key: string }> {
    const answer = await own.api.post('/keys', body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  }

  const idOf = ({ id }: Record<string, unknown>) => id;

  const listed = async () => (await own.api.get('/keys')).body.items as Array<Record<string, unknown>>;

  it('shows a new key once, which works at once for its kind and role', async () => {
    const reader = await create({ name: 'Reader', kind: 'customer', role: 'read', expiresAt: IN_A_YEAR });
    const loggers = await create({ name: 'Loggers', kind: 'device', role: null });
    assert.deepEqual([reader.key, loggers.key].map(parseKeyKind), ['customer', 'device']);
    assert.equal((await dms.with(reader.key).get('/assets')).status, 200);
    assert.equal((await dms.with(reader.key).post('/assets', {})).status, 403);
    assert.equal((await dms.with(loggers.key).get('/devices/NONE/pending-config')).status, 404);
    const { text } = await own.api.get('/keys');
    assert.ok(!text.includes(reader.key) && !text.includes(loggers.key));
  });

  it('allows at most 100 keys per organization, without device tokens of single loggers', async () => {
    const assetId = await register(own, 'OWN-TOKEN');
    for (let made = (await listed()).length; made < 100; made++)
      await dms.issueKey(own.id, made % 2 === 0 ? 'customer' : 'device', 'read');
    const refused = await own.api.post('/keys', { name: 'One more', role: 'read' });
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.body.message, /at most 100 API keys.*delete one/);
    assert.equal((await own.api.post(`/assets/${assetId}/device-token`)).status, 201);
    const [newest] = await listed();
    assert.equal((await own.api.delete(`/keys/${newest?.id}`)).status, 204);
    const answers = await Promise.all(
      [1, 2].map((n) => own.api.post('/keys', { name: `At once ${n}`, role: 'read' })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
  });

  it('refuses a token for all devices where the organization requires one of each', async () => {
    const organizations = createOrganizationsRepository(dms.service.sql);
    await organizations.setRequiresDeviceTokens(own.id, true);
    const { status, body } = await own.api.post('/keys', { name: 'Loggers', kind: 'device' });
    assert.equal(status, 409);
    assert.match(body.message, /needs a token of its own/);
    await create({ name: 'Reader', kind: 'customer', role: 'read' });
    await organizations.setRequiresDeviceTokens(own.id, false);
    await create({ name: 'Loggers', kind: 'device' });
  });

  it('requires a name in one line, like all names in mails, logs and the audit trail', async () => {
    const hook = { url: 'http://127.0.0.1:9/hooks' };
    const named = (name: string): Array<[path: string, body: object]> => [
      ['/keys', { name, kind: 'device' }],
      ['/operator-links', { name }],
      ['/assets', { serialNumber: 'NAMED-1', name }],
      ['/groups', { name }],
      ['/cellular-webhooks', { ...hook, name }],
      ['/devices/config-profiles', { name, temperatureAlerts: [] }],
    ];
    for (const name of ['Ada\r\nBcc: eve@example.com', 'a\tb', '\u001b[31mred', 'a\u2028b', 'a\u0085b'])
      for (const [path, body] of named(name)) {
        const { status, body: answer } = await own.api.post(path, body);
        assert.equal(status, 400, `${path} takes ${JSON.stringify(name)}`);
        assert.match(answer.message, /^name must hold no line break or other control character$/);
      }
    for (const name of ['\u200b', ' \u2060\ufeff\u00ad ', '\u202e\u200f', '\u3164\u115f', '\u2800'])
      for (const [path, body] of named(name)) {
        const { status, body: answer } = await own.api.post(path, body);
        assert.equal(status, 400, `${path} takes ${JSON.stringify(name)}`);
        assert.match(answer.message, /^name must not be blank$/);
      }
    for (const [path, body] of named('Ärzte & Söhne 🌡️ 👨‍👩‍👧 می\u200cخواهم क्\u200dष')) {
      const { status, body: made } = await own.api.post(path, body);
      assert.equal(status, 201, path);
      if (made.name !== undefined) assert.equal(made.name, (body as { name: string }).name, path);
    }
    const csv = 'serialNumber,name\nROW-1,"two\nlines"\nROW-2,one line\n';
    const options = { raw: csv, headers: { 'content-type': 'text/csv' } };
    const { body } = await own.api.post('/assets/import', undefined, options);
    assert.deepEqual([body.created, body.failed], [1, 1]);
  });

  it('lists the keys of the organization, newest first, page by page', async () => {
    const reader = await create({ name: 'Reader', kind: 'customer', role: 'read', expiresAt: IN_A_YEAR });
    const loggers = await create({ name: 'Loggers', kind: 'device' });
    const items = await listed();
    assert.deepEqual(
      items.slice(0, 2).map(({ id, name, kind, role, expiresAt }) => [id, name, kind, role, expiresAt]),
      [
        [loggers.id, 'Loggers', 'device', null, null],
        [reader.id, 'Reader', 'customer', 'read', IN_A_YEAR],
      ],
    );
    const first = await own.api.get('/keys?limit=3');
    const rest = await own.api.get(`/keys?limit=3&cursor=${first.body.nextCursor}`);
    assert.deepEqual([...first.body.items, ...rest.body.items].map(idOf), items.map(idOf));
    assert.equal(rest.body.nextCursor, null);
  });

  it('shows when a key was last used, which neither the next request nor another process writes again within the hour', async () => {
    const { id, key } = await create({ name: 'Reader', kind: 'customer', role: 'read' });
    const shown = async () => (await listed()).find((each) => each.id === id)?.lastUsedAt;
    assert.equal(await shown(), null);
    assert.equal((await dms.with(`${key.slice(0, -1)}_`).get('/assets')).status, 401);
    assert.equal(await shown(), null);
    await dms.with(key).get('/assets');
    const usedAt = await eventually(shown, (at) => at !== null);
    const version = () => dms.service.sql('api_keys').where({ id }).first(dms.service.sql.raw('xmin'));
    const before = await version();
    await dms.with(key).get('/groups');
    const [at, hourMs] = [new Date(usedAt as string), 3_600_000];
    const asOther = { at, notSince: new Date(at.getTime() - hourMs) };
    await createKeysRepository(dms.service.sql).markUsed([id], asOther);
    assert.deepEqual([await shown(), await version()], [usedAt, before]);
    const later = new Date(at.getTime() + hourMs);
    await createKeysRepository(dms.service.sql).markUsed([id], { at: later, notSince: at });
    assert.equal(await shown(), later.toISOString());
  });

  it('refuses a deleted key within 5 s, and no longer lists it', async () => {
    const { id, key } = await create({ name: 'Writer', kind: 'customer', role: 'write' });
    assert.equal((await dms.with(key).get('/assets')).status, 200);
    assert.equal((await own.api.delete(`/keys/${id}`)).status, 204);
    assert.ok((await listed()).every((each) => each.id !== id));
    assert.equal((await own.api.delete(`/keys/${id}`)).status, 404);
    aheadMs += 5_000;
    assert.equal((await dms.with(key).get('/assets')).status, 401);
  });

  it('refuses to delete the last admin of the organization', async () => {
    await create({ name: 'Writer', kind: 'customer', role: 'write' });
    const expired = await dms.issueKey(own.id, 'customer', 'admin');
    await dms.service
      .sql('api_keys')
      .where({ id: expired.id })
      .update({ expires_at: new Date(0) });
    const last = await own.api.delete(`/keys/${own.keyId}`);
    assert.equal(last.status, 409);
    assert.equal((await own.api.delete(`/keys/${expired.id}`)).status, 204);
    const other = await create({ name: 'Second', kind: 'customer', role: 'admin' });
    assert.equal((await dms.with(other.key).delete(`/keys/${own.keyId}`)).status, 204);
  });

  it('leaves one admin when several delete each other concurrently', async () => {
    const others = await Promise.all(
      [1, 2, 3].map((index) => create({ name: `Admin ${index}`, kind: 'customer', role: 'admin' })),
    );
    const ids = [own.keyId, ...others.map(({ id }) => id)];
    const { sql } = dms.service;
    const lock = `select from organizations where id = '${own.id}' for update`;
    const { deletes } = await whileLocked(sql, lock, async () => {
      const deletes = ids.map((id) => own.api.delete(`/keys/${id}`));
      await untilLockWaits(sql, ids.length);
      return { deletes };
    });
    const answers = await Promise.all(deletes);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 204, 204, 409]);
  });

  it('refuses invalid keys, and names valid forms', async () => {
    const past = new Date(Date.now() - 1_000).toISOString();
    for (const [body, message] of [
      [{ name: 'x', role: 'read', expiresAt: past }, /expiresAt must be in the future/],
      [{ name: ' ', role: 'read' }, /name must not be blank/],
      [{ name: 'x'.repeat(129), role: 'read' }, /name/],
      [{ role: 'read' }, /name is required/],
      [{ name: 'x', kind: 'customer' }, /role must be admin, write, read/],
      [{ name: 'x', kind: 'customer', role: null }, /role must be admin, write, read/],
      [{ name: 'x', kind: 'device', role: 'read' }, /role must be null/],
      [{ name: 'x', kind: 'customer', role: 'owner' }, /role must be one of/],
    ] as const) {
      const answer = await own.api.post('/keys', body);
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.body.message, message);
    }
    assert.equal((await listed()).length, 2);
  });
});
