/**
 * Secrets do not leave the service: a workload over every operation, with faults of every sort, runs with the
 * log at its most detailed level, and every answer and every line is searched.
 */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { compose, type Service } from '../../src/compose/service.ts';
import { query } from '../../src/db/query.ts';
import type { Route } from '../../src/http/route.ts';
import type { Settings } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';
import type { RunningPart } from '../../src/process/shutdown.ts';
import { type Answer, type Client, createClient } from '../support/client.ts';
import { eventually, FRIDGE } from '../support/fleet.ts';
import { call, type Fixtures, populate } from '../support/operations.ts';
import { findSecrets, storedRows } from '../support/secret-search.ts';
import { servers } from '../support/servers.ts';
import { type TestOrganization, useService } from '../support/service.ts';

interface Line {
  requestId?: string;
  operationId?: string;
  status?: number;
  err?: { message: string };
}

interface Watched {
  service: Service;
  baseUrl: string;
  stop(): Promise<void>;
}

describe('Secrets', () => {
  let organization: TestOrganization;
  let fixtures: Fixtures;
  let routes: Route[];
  let receiver: Server;
  let hook: string;
  const lines: string[] = [];
  const answers: Array<{ what: string; answer: Answer }> = [];
  /** By the name that a failure prints. */
  const secrets: Record<string, string> = {
    'a webhook secret in base64': `whsec_${randomBytes(24).toString('base64')}`,
    'a webhook secret as text': `text ${randomBytes(12).toString('hex')} secret`,
    'a webhook secret that was refused': `no\u0007${randomBytes(12).toString('hex')}`,
    'an unknown customer key': `dms_live_${randomBytes(24).toString('hex')}a`,
  };
  const watched: Watched[] = [];

  /** A service whose detailed log is kept. */
  async function watch(settings: Partial<Settings> = {}, withWorker = false): Promise<Watched> {
    const log = createLog('trace', { write: (line) => void lines.push(line) });
    const service = compose({ settings: { ...dms.settings, port: 0, ...settings }, log });
    const api = await service.startApi();
    const worker: RunningPart | null = withWorker
      ? await service.startWorker((await servers()).workflowBundle)
      : null;
    const stop = async () => {
      await worker?.stop(1_000);
      await api.stop(1_000);
      await service.close();
    };
    const made = { service, baseUrl: `http://127.0.0.1:${api.port}`, stop };
    watched.push(made);
    return made;
  }

  /** A client that keeps its responses. */
  function watching(baseUrl: string, token: string | null, what: string): Client {
    const client = createClient(baseUrl, token);
    const send: Client['send'] = async (method, path, body, options) => {
      const answer = await client.send(method, path, body, options);
      answers.push({ what: `${what}: ${method} ${path.slice(0, 80)}`, answer });
      return answer;
    };
    return {
      send,
      get: (path, options) => send('GET', path, undefined, options),
      post: (path, body, options) => send('POST', path, body, options),
      put: (path, body, options) => send('PUT', path, body, options),
      patch: (path, body, options) => send('PATCH', path, body, options),
      delete: (path, options) => send('DELETE', path, undefined, options),
    };
  }

  const at = (baseUrl: string, what: string): TestOrganization => ({
    id: organization.id,
    keyId: organization.keyId,
    api: watching(baseUrl, secrets['the customer key'] as string, what),
    device: watching(baseUrl, secrets['the device token'] as string, what),
    with: (token) => watching(baseUrl, token, what),
  });

  const dms = useService({ withWorker: false });
  before(async () => {
    // One workload for all tests, because giving up Temporal takes seconds.
    organization = await dms.addOrganization();
    routes = dms.service.routes;
    secrets['the customer key'] = (await dms.issueKey(organization.id, 'customer')).token;
    secrets['the device token'] = (await dms.issueKey(organization.id, 'device')).token;
    secrets['the password of the database'] = decodeURIComponent(new URL(dms.settings.databaseUrl).password);
    secrets['the key of the secrets'] = Object.values(dms.settings.secretsKeys)[0]?.toString('base64') ?? '';
    receiver = createServer((request, response) =>
      response.writeHead(500).end(String(request.headers['webhook-id'])),
    );
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    await work();
  });
  after(async () => {
    for (const each of watched) await each.stop();
    receiver.closeAllConnections();
    receiver.close();
  });

  /** Every operation, and every sort of fault. */
  async function work(): Promise<void> {
    const { baseUrl } = await watch({}, true);
    const all = at(baseUrl, 'working');
    fixtures = await populate(all);
    await loseTemporal();
    await useSecrets(all);
    for (const route of routes) await call(all, route, fixtures);
    await sendNonsense(all);
    await deliver(all);
    await failInside(all);
    await losePostgres();
    await failToLogIn();
    await eventually(
      async () => lines.join(''),
      (text) => text.includes('Temporal is away'),
    );
  }

  async function useSecrets({ api }: TestOrganization): Promise<void> {
    for (const collection of ['/webhooks', '/cellular-webhooks']) {
      const { body } = await api.post(collection, {
        url: hook,
        secret: secrets['a webhook secret in base64'],
      });
      await api.patch(`${collection}/${body.id}`, { secret: secrets['a webhook secret as text'] });
      await api.get(`${collection}/${body.id}`);
      await api.get(collection);
      const rotate = (secret: object) => api.post(`${collection}/${body.id}/rotate-secret`, secret);
      await rotate({ secret: secrets['a webhook secret in base64'] });
      const { secret } = (await rotate({})).body;
      secrets[`the secret that was made for ${collection}`] = secret;
    }
  }

  /** Secrets in every part of a request where they do not belong. */
  async function sendNonsense(all: TestOrganization): Promise<void> {
    const { api } = all;
    for (const secret of Object.values(secrets)) {
      const inUrl = encodeURIComponent(secret);
      await api.get(`/assets/${inUrl}`);
      await api.get(`/assets?cursor=${inUrl}`);
      await api.get(`/assets?apiKey=${inUrl}`);
      await api.post('/webhooks', { url: `http://user:${inUrl}@127.0.0.1/` });
      await api.post('/webhooks', { url: hook, secret: [secret] });
      await api.post('/webhooks', { url: hook, secret: `${secret}\u0000` });
      await api.post('/webhooks', { url: hook, secret: secret.repeat(20) });
      await api.post('/webhooks', { url: hook, apiKey: secret });
      await api.post('/webhooks', undefined, { raw: `{"secret":"${secret}` });
      await all.with(null).get('/assets', { headers: { authorization: `Basic ${inUrl}` } });
    }
    await api.post('/webhooks', { url: hook, secret: secrets['a webhook secret that was refused'] });
    await all.with(secrets['an unknown customer key'] as string).get('/assets');
    await all.with(secrets['the device token'] as string).get('/assets');
  }

  /** For a receiver that fails, so attempts are recorded and repeated. */
  async function deliver({ api }: TestOrganization): Promise<void> {
    const { body } = await api.post('/webhooks', { url: hook, secret: secrets['a webhook secret as text'] });
    await api.post(`/webhooks/${body.id}/test`);
    await api.get(`/webhooks/${body.id}/deliveries`);
  }

  /** A defect: the error message of PostgreSQL contains the whole row. */
  async function failInside({ api }: TestOrganization): Promise<void> {
    for (const table of ['endpoints', 'idempotency_keys', 'assets']) {
      await query(dms.service.sql, `alter table ${table} add constraint broken check (false) not valid`);
      const body = { url: hook, secret: secrets['a webhook secret in base64'] };
      const failed = await api.post('/webhooks', body, { headers: { 'idempotency-key': randomUUID() } });
      assert.equal(failed.status, table === 'assets' ? 201 : 500, failed.text);
      await query(dms.service.sql, `alter table ${table} drop constraint broken`);
    }
  }

  /** A proxy takes the database away from this service during the work. */
  async function losePostgres(): Promise<void> {
    const url = new URL(dms.settings.databaseUrl);
    const { hostname, port } = url;
    const sockets: Socket[] = [];
    const proxy = createTcpServer((inner) => {
      const outer = connect(Number(port), hostname);
      for (const socket of [inner, outer]) sockets.push(socket.on('error', () => {}));
      inner.pipe(outer).pipe(inner);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    url.port = String((proxy.address() as AddressInfo).port);
    const { baseUrl } = await watch({ databaseUrl: url.href });
    const { api } = at(baseUrl, 'database gone');
    assert.equal((await api.get('/assets')).status, 200);
    proxy.close();
    for (const socket of sockets) socket.destroy();
    assert.equal((await api.get('/assets')).status, 503);
    await api.post('/webhooks', { url: hook, secret: secrets['a webhook secret in base64'] });
    await api.post('/assets', { serialNumber: 'GONE' }, { headers: { 'idempotency-key': randomUUID() } });
    await checkHealth(baseUrl);
  }

  /** Without the client, which expects answers of operations. */
  async function checkHealth(baseUrl: string): Promise<void> {
    const response = await fetch(`${baseUrl}/readyz`);
    const text = await response.text();
    const headers = Object.fromEntries(response.headers);
    const answer = { status: response.status, headers, body: undefined, text, bytes: Buffer.from(text) };
    answers.push({ what: 'health', answer });
  }

  async function loseTemporal(): Promise<void> {
    const { baseUrl } = await watch({ temporalAddress: '127.0.0.1:1' });
    const { api } = at(baseUrl, 'Temporal gone');
    await api.post('/devices/config-profiles', { slug: 'no-temporal', ...FRIDGE });
    await api.put('/devices/config-profiles/no-temporal/apply', { applyToAll: true });
    await checkHealth(baseUrl);
  }

  async function failToLogIn(): Promise<void> {
    const url = new URL(dms.settings.databaseUrl);
    secrets['a wrong password of the database'] = `wrong-${randomBytes(12).toString('hex')}`;
    url.password = secrets['a wrong password of the database'];
    const { baseUrl } = await watch({ databaseUrl: url.href });
    const answer = await at(baseUrl, 'wrong password').api.get('/assets');
    assert.ok(answer.status >= 500, answer.text);
  }

  const foundIn = (text: string) => findSecrets(secrets, text);

  it('searches a workload with answers and log lines of every sort', () => {
    const statuses = new Set(answers.map(({ answer }) => answer.status));
    for (const status of [200, 201, 400, 401, 404, 500, 503]) assert.ok(statuses.has(status), `no ${status}`);
    const messages = lines.join('');
    assert.match(messages, /request failed/);
    assert.match(messages, /Temporal is away/);
    assert.match(messages, /violates check constraint/);
    for (const [what, secret] of Object.entries(secrets)) assert.ok(secret.length >= 16, what);
    assert.deepEqual(foundIn(`x${secrets['the customer key']}y`), ['the customer key']);
  });

  it('puts no secret into an answer, except the new secret of a rotation', () => {
    const leaking = answers
      .map(({ what, answer }) => ({ what, found: foundIn(answer.text + JSON.stringify(answer.headers)) }))
      .filter(({ found }) => found.length > 0);
    const others = leaking.filter(({ what }) => !what.includes('/rotate-secret'));
    assert.deepEqual(others, []);
    assert.deepEqual(
      leaking.map(({ found }) => found),
      [['the secret that was made for /webhooks'], ['the secret that was made for /cellular-webhooks']],
    );
  });

  it('writes no secret to the log', () => {
    const leaking = lines
      .map((line) => ({ line, found: foundIn(line) }))
      .filter(({ found }) => found.length > 0);
    assert.deepEqual(leaking, []);
  });

  it('stores no secret unencrypted', async () => {
    const rows = await storedRows(dms.service.sql);
    const leaking = rows.flatMap(({ table, text }) => foundIn(text).map((name) => `${table}: ${name}`));
    assert.deepEqual(leaking, []);
  });

  it('stores the answer of a rotation with an Idempotency-Key encrypted', async () => {
    const { api } = organization;
    const { body } = await api.post('/webhooks', { url: hook });
    const headers = { 'idempotency-key': randomUUID() };
    const { secret } = (await api.post(`/webhooks/${body.id}/rotate-secret`, {}, { headers })).body;
    const rows = await query<{ body: string }>(dms.service.sql, 'select body from idempotency_keys');
    assert.ok(!rows.some((row) => row.body.includes(secret)));
  });

  it('neither stores nor answers a key that was sent in place of another text', async () => {
    const { token } = await dms.issueKey(dms.id, 'customer');
    const api = dms.with(token);
    const headers = { 'idempotency-key': token, 'request-id': token };
    const answer = await api.post('/groups', { name: 'Fridges' }, { headers });
    assert.equal(answer.status, 201);
    assert.notEqual(answer.headers['request-id'], token);
    const rows = await query<{ row: string }>(
      dms.service.sql,
      'select t::text as row from idempotency_keys as t',
    );
    assert.ok(rows.length > 0 && !rows.some(({ row }) => row.includes(token)));
  });

  describe('in the log', () => {
    it('removes secrets from log entries that contain too much', () => {
      const written: string[] = [];
      const log = createLog('trace', { write: (line) => void written.push(line) });
      const secret = randomBytes(12).toString('hex');
      log.info({
        authorization: secret,
        headers: { authorization: secret },
        request: { headers: { authorization: secret } },
      });
      log.info({ secret, webhook: { secret }, change: { webhook: { secret } } });
      log.info({ token: secret, apiKey: secret, password: secret, key: { token: secret } });
      log.info({ body: { anything: secret }, request: { body: secret } });
      log.error({
        err: Object.assign(new Error('x'), { detail: secret, parameters: [secret], config: { secret } }),
      });
      log.error({ err: new Error('outer', { cause: Object.assign(new Error('y'), { detail: secret }) }) });
      log.error({ err: new Error(`insert into endpoints values ('${secret}') - it broke`) });
      assert.equal(written.length, 7);
      assert.deepEqual(
        written.filter((line) => line.includes(secret)),
        [],
      );
    });

    it('logs every request with the Request-Id of its answer', () => {
      const logged = lines
        .map((line) => JSON.parse(line) as Line)
        .filter(({ operationId }) => operationId !== undefined);
      const statusById = new Map(logged.map(({ requestId, status }) => [requestId, status]));
      assert.ok(logged.every(({ requestId }) => typeof requestId === 'string'));
      const without = answers.filter(
        ({ answer }) => statusById.get(String(answer.headers['request-id'])) !== answer.status,
      );
      assert.deepEqual(
        without.map(({ what }) => what),
        [],
      );
    });

    it('logs the cause of every 5xx', () => {
      const failed = lines
        .map((line) => JSON.parse(line) as Line)
        .filter(({ status = 0, operationId }) => status >= 500 && operationId !== 'none');
      assert.ok(failed.length > 0);
      assert.deepEqual(
        failed.filter(({ err }) => !err?.message),
        [],
      );
    });
  });
});
