/**
 * Requests that hold a whole fleet in memory: an organization has two of a kind at once, and others continue.
 */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { mock } from 'node:test';
import type { Answer, Client } from '../support/client.ts';
import { createProfile, eventually, HOT_WATER, register } from '../support/fleet.ts';
import { allowIdle, countLockWaits, untilLockWaits, whileLocked } from '../support/lock-waits.ts';
import { replaceWaits } from '../support/replace-waits.ts';
import { type TestOrganization, useService } from '../support/service.ts';

const PDF = { headers: { accept: 'application/pdf' } };
const SPAN = 'from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z';
const AUDIT_LOCK = 'lock table audit_entries in access exclusive mode';

describe('Requests for a whole fleet', () => {
  const dms = useService({ withWorker: false });
  let org: TestOrganization;

  before(async () => {
    org = await dms.addOrganization();
  });
  afterEach(() => mock.restoreAll());

  /** Two more keys, so that the limit is that of the organization and not of a key. */
  async function keys(count: number): Promise<Client[]> {
    const clients: Client[] = [];
    while (clients.length < count) clients.push(dms.with((await dms.issueKey(org.id, 'customer')).token));
    return clients;
  }

  /** Blocks requests at a table, sends three of them with a key each, and returns the first answer. */
  async function thirdOf(table: string, send: (client: Client) => Promise<Answer>): Promise<Answer> {
    const [first, second, third] = (await keys(3)) as [Client, Client, Client];
    const lock = `lock table ${table} in access exclusive mode`;
    const { third: answer, rest } = await whileLocked(dms.service.sql, lock, async () => {
      const waiting = [send(first), send(second)];
      await untilLockWaits(dms.service.sql, 2);
      return { third: await send(third), rest: waiting };
    });
    for (const { status, text } of await Promise.all(rest)) assert.equal(status, 200, text);
    assert.equal((await send(third)).status, 200);
    return answer;
  }

  function assertRefused({ status, headers, body }: Answer, what: RegExp): void {
    assert.equal(status, 429);
    assert.equal(headers['retry-after'], '5');
    assert.match(body.message, what);
  }

  it('allows an organization two dry runs and applies to all at once, and asks the third to wait', async () => {
    await register(org, 'FLEET-1');
    const slug = await createProfile(org, { slug: 'fleet-wide', ...HOT_WATER });
    const dryRun = (client: Client) =>
      client.put(`/devices/config-profiles/${slug}/apply?dryRun=true`, { applyToAll: true });
    assertRefused(await thirdOf('profiles', dryRun), /^At most 2 dry runs and applies to all at once/);
  });

  it('allows an organization two imports at once, and asks the third to wait', async () => {
    const rows = { raw: '[{"serialNumber":"IMPORT-1"}]' };
    const send = (client: Client) => client.post('/assets/import', undefined, rows);
    assertRefused(await thirdOf('assets', send), /^At most 2 imports at once/);
  });

  /** A request whose last byte is never sent. */
  async function beginPost(
    path: string,
    { token, bytes }: { token: string; bytes: number },
  ): Promise<Socket> {
    const { hostname, port } = new URL(dms.baseUrl);
    const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {});
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
    const type = `Content-Type: application/json\r\nContent-Length: ${bytes + 1}\r\n\r\n`;
    await new Promise((resolve) => socket.write(head + type + ' '.repeat(bytes), resolve));
    return socket;
  }

  it('counts an import from the first byte of its body', async () => {
    const { token } = await dms.issueKey(org.id, 'customer');
    const sockets: Socket[] = [];
    const rows = { raw: '[{"serialNumber":"IMPORT-2"}]' };
    const send = (client: Client) => client.post('/assets/import', undefined, rows);
    /** Begins again when it is refused, as it is while a complete import runs. */
    async function begin(): Promise<void> {
      const socket = await beginPost('/assets/import', { token, bytes: 10 });
      sockets.push(socket.once('data', () => void begin()));
    }
    await Promise.all([begin(), begin()]);
    await eventually(
      () => send(dms.with(token)),
      ({ status }) => status === 429,
    );
    assert.equal((await send((await dms.addOrganization()).api)).status, 200);
    for (const socket of sockets) socket.removeAllListeners('data').destroy();
  });

  it('holds 64 MiB of the bodies of an organization at once, and reads those of others and of its devices', async () => {
    const bytes = 1024 * 1024;
    const { token } = await dms.issueKey(org.id, 'customer');
    const sockets = await Promise.all(
      Array.from({ length: 64 }, () => beginPost('/assets', { token, bytes: bytes - 1 })),
    );
    const send = (client: Client) => client.post('/assets', undefined, { raw: ' '.repeat(bytes) });
    const { headers } = await eventually(
      () => send(dms.with(token)),
      ({ status }) => status === 429,
    );
    assert.equal(headers['retry-after'], '5');
    assert.equal((await send((await dms.addOrganization()).api)).status, 400);
    const ofDevice = await org.device.post('/devices/BODY-1/measurements', undefined, {
      raw: ' '.repeat(bytes),
    });
    assert.equal(ofDevice.status, 400);
    for (const socket of sockets) socket.destroy();
    await eventually(
      () => send(dms.with(token)),
      ({ status }) => status === 400,
    );
  });

  it('answers a change of an organization while 25 of another wait for a lock, and reads while 25 of two do', async () => {
    const { sql } = dms.service;
    const id = await register(org, 'LOCKED-1');
    const other = await dms.addOrganization();
    const otherId = await register(other, 'FREE-1');
    const connections = dms.settings.databasePoolSize;
    const client = dms.with((await dms.issueKey(org.id, 'customer')).token);
    const lock = (tx: typeof sql, assetId: string) =>
      tx.raw('select from assets where id = ? for update', [assetId]);
    const waitingOf = (by: Client, assetId: string) =>
      Array.from({ length: 25 }, (_, floor) => by.patch(`/assets/${assetId}`, { floor }));
    const changes = await sql.transaction(async (tx) => {
      await allowIdle(tx);
      await lock(tx, id);
      const waiting = waitingOf(client, id);
      await untilLockWaits(sql, connections / 2);
      assert.equal((await other.api.patch(`/assets/${otherId}`, { floor: 1 })).status, 200);
      await lock(tx, otherId);
      waiting.push(...waitingOf(other.api, otherId));
      await untilLockWaits(sql, Math.floor(connections * 0.75));
      assert.equal((await (await dms.addOrganization()).api.get('/assets')).status, 200);
      return { waiting };
    });
    await Promise.all(changes.waiting);
  });

  it('answers lists of others, and stores messages of devices, while 25 lists of an organization wait for the database', async () => {
    const { sql } = dms.service;
    await register(org, 'LISTED-1');
    const other = await dms.addOrganization();
    const readings = [{ channel: 1, type: 'temperature', value: 4, measuredAt: new Date().toISOString() }];
    const places = dms.settings.databasePoolSize * 0.15;
    const lists = await whileLocked(sql, AUDIT_LOCK, async () => {
      const waiting = Array.from({ length: 25 }, () => org.api.get('/audit'));
      await untilLockWaits(sql, places);
      assert.equal((await other.api.get('/alerts')).status, 200);
      assert.equal((await org.device.post('/devices/LISTED-1/measurements', { readings })).status, 202);
      assert.equal(await countLockWaits(sql), places);
      return { waiting };
    });
    await Promise.all(lists.waiting);
  });

  const LOCKED = {
    change: {
      share: 1 / 2,
      lockOf: (id: string) => `select from assets where id = '${id}' for update`,
      pathsOf: (id: string) => [`/assets/${id}`],
      send: (path: string) => org.api.patch(path, { floor: 1 }),
    },
    // They take their turn before any connection. The first one waits for the lock.
    list: {
      share: 0.15,
      lockOf: () => AUDIT_LOCK,
      pathsOf: (id: string) => [
        '/audit',
        '/alerts',
        '/assets',
        '/devices/config-jobs',
        `/devices/config-jobs/${id}`,
        `/devices/config-jobs/${id}/targets`,
        '/groups',
        `/groups/${id}`,
        '/unregistered-devices',
        '/webhooks',
        '/devices/config-profiles',
        `/assets/${id}/settings`,
      ],
      send: (path: string) => org.api.get(path),
    },
  };
  for (const [work, { share, lockOf, pathsOf, send }] of Object.entries(LOCKED))
    it(`refuses each ${work} with 429, and counts it, that had no turn for 5 s`, async () => {
      const { sql } = dms.service;
      const id = await register(org, `LOCKED-${work}`);
      const paths = pathsOf(id);
      const places = dms.settings.databasePoolSize * share;
      const refusals = async () => {
        const metrics = await (await fetch(dms.metricsUrl)).text();
        const counted = new RegExp(`dms_refused_turns_total\\{work="${work}",reason="overloaded"\\} (\\d+)`);
        return Number(counted.exec(metrics)?.[1] ?? 0);
      };
      const before = await refusals();
      const { sent } = await whileLocked(sql, lockOf(id), async () => {
        const sent = Array.from({ length: places }, () => send(paths[0] as string));
        await untilLockWaits(sql, places);
        replaceWaits(5_000, 0);
        for (const path of paths) assertRefused(await send(path), /^There are too many requests at present/);
        // The wait for a connection of the database is as long.
        mock.restoreAll();
        return { sent };
      });
      for (const { status } of await Promise.all(sent)) assert.equal(status, 200);
      assert.equal((await refusals()) - before, paths.length);
    });

  it('allows an organization two pages of statistics at once, and asks the third to wait', async () => {
    const assetId = await register(org, 'PAGE-1');
    const send = (client: Client) => client.get(`/assets/${assetId}/statistics?${SPAN}`, PDF);
    assertRefused(await thirdOf('assets', send), /^At most 2 PDF pages at once/);
  });
});
