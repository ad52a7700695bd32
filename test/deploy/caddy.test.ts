/** The proxy and balancer for APIs of the compose file, and its certificates; needs Caddy. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { get as getByTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../dev/embedded/free-port.ts';
import { createClientAddress } from '../../src/http/client-address.ts';
import { findTestProgram } from '../runner/programs.ts';
import { createCertificates } from '../support/certificates.ts';
import { eventually } from '../support/fleet.ts';

const CONFIGURATION = fileURLToPath(new URL('../../deploy/Caddyfile', import.meta.url));
const CADDY = findTestProgram('caddy');
/** Addresses of this machine that stand for clients and for a load balancer in front. */
const [CLIENT, LOAD_BALANCER] = ['127.0.0.5', '127.0.0.6'];
const FORGED = '203.0.113.9';

/** That of the compose file, with processes of this machine in place of a name that only Docker knows. */
const readConfiguration = (upstreams: string[], port: number): string =>
  readFileSync(CONFIGURATION, 'utf8')
    .replace(/dynamic a api 8080 \{[^}]*\}/, `to ${upstreams.join(' ')}`)
    .replace('http://:8080', `http://:${port}`);

const addressOf = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Runs the balancer, and returns how it is stopped. */
function startCaddy(folder: string, configuration: string, settings: Record<string, string>) {
  writeFileSync(join(folder, 'Caddyfile'), configuration);
  const parameters = ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
  const env = {
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    ACME_CA: 'https://acme.invalid/directory',
    ACME_EMAIL: '',
    FRONT_PROXIES: '',
    ...settings,
  };
  const caddy: ChildProcess = spawn(CADDY as string, parameters, { env, stdio: 'ignore' });
  return async () => {
    caddy.kill('SIGTERM');
    await once(caddy, 'exit');
  };
}

interface Answer {
  name: string;
  bytes: number;
  /** The address of the client, as the API of the compose file finds it. */
  client: string;
  host: string;
}

describe('The balancer for APIs of the compose file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-caddy-'));
  const apis: Server[] = [];
  let stopCaddy: (() => Promise<void>) | undefined;
  let port = 0;

  before(async function () {
    if (CADDY === null) {
      console.log('    Caddy is not installed: its configuration is not tried');
      return this.skip();
    }
    for (const name of ['a', 'b']) apis.push(await startApi(name));
    port = await freePort();
    const upstreams = [...apis.map(addressOf), '127.0.0.1:1'];
    stopCaddy = startCaddy(folder, readConfiguration(upstreams, port), {
      OPERATOR_URL: `http://localhost:${await freePort()}`,
      TLS: 'acme',
      FRONT_PROXIES: LOAD_BALANCER,
    });
    await eventually(() => get().then(Boolean, () => false), Boolean);
  });
  after(async () => {
    await stopCaddy?.();
    for (const server of apis) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function startApi(name: string): Promise<Server> {
    const clientAddress = createClientAddress(['127.0.0.1']);
    const server = createServer(async (incoming, response) => {
      let bytes = 0;
      for await (const chunk of incoming) bytes += chunk.length;
      const from = incoming.headers['x-forwarded-for'] as string;
      const client = clientAddress(incoming.socket.remoteAddress as string, from);
      response.end(JSON.stringify({ name, bytes, client, host: incoming.headers.host }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  async function get(forwardedFor?: string, localAddress = CLIENT): Promise<Answer> {
    const headers = forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor };
    const sent = request({ host: '127.0.0.1', port, localAddress, headers, agent: false }).end();
    const [response] = await once(sent, 'response');
    return JSON.parse((await response.toArray()).join(''));
  }

  it('spreads requests over all APIs, skips one that is down, and keeps the host', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => get()));
    assert.deepEqual([...new Set(answers.map(({ name }) => name))].sort(), ['a', 'b']);
    for (const { host } of answers) assert.equal(host, `127.0.0.1:${port}`);
  });

  it('leads an API to the address of the client, whatever the client writes into X-Forwarded-For', async () => {
    for (const forged of [undefined, FORGED, `${FORGED}, ${LOAD_BALANCER}`, 'nonsense'])
      assert.equal((await get(forged)).client, CLIENT);
  });

  it('leads an API through a load balancer in front to its client, whatever that client writes', async () => {
    const throughBalancer = (forwardedFor: string) => get(forwardedFor, LOAD_BALANCER);
    assert.equal((await throughBalancer('198.51.100.7')).client, '198.51.100.7');
    assert.equal((await throughBalancer(`${FORGED}, 198.51.100.7`)).client, '198.51.100.7');
    assert.equal((await throughBalancer(`${FORGED}, 198.51.100.7, ${LOAD_BALANCER}`)).client, '198.51.100.7');
  });

  it('passes bodies of any size', async () => {
    const body = Buffer.alloc(11 * 1024 * 1024);
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'PUT', body });
    assert.equal(((await answer.json()) as Answer).bytes, body.length);
  });

  it('answers as the API does when no API is up', async () => {
    for (const server of apis) {
      server.close();
      server.closeAllConnections();
    }
    const answer = await fetch(`http://127.0.0.1:${port}/assets`);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '5');
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(((await answer.json()) as { success: boolean }).success, false);
  });
});

describe('The balancer for APIs and late answers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-caddy-late-'));
  /** Answers nothing by itself. */
  const api = createServer();
  let stopCaddy: (() => Promise<void>) | undefined;

  before(async function () {
    if (CADDY === null) return this.skip();
    await once(api.listen(0, '127.0.0.1'), 'listening');
  });
  after(async () => {
    await stopCaddy?.();
    api.close();
    api.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });

  it('waits an hour for statistics to begin, and 75 seconds for other answers', async () => {
    const port = await freePort();
    const configuration = readConfiguration([addressOf(api)], port);
    assert.match(configuration, /^\timport apis @statistics 1h\n\timport apis \* 75s$/m);
    const OPERATOR_URL = `http://localhost:${await freePort()}`;
    stopCaddy = startCaddy(folder, configuration.replace('75s', '50ms'), { OPERATOR_URL, TLS: 'acme' });
    // Unlike GET, a POST is not repeated when its time is over.
    const post = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST' });
    await eventually(() => post('/').then(Boolean, () => false), Boolean);
    for (const path of ['/assets/1/statistics', '/operator/devices/1/statistics.pdf']) {
      const arrived = once(api, 'request');
      const statistics = post(path);
      const [, response] = await arrived;
      assert.equal((await post('/assets')).status, 503, 'later, and refused earlier');
      response.end();
      assert.equal((await statistics).status, 200);
    }
  });
});

describe('The certificates of the compose file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-caddy-tls-'));
  const certificates = createCertificates();
  let api: Server;
  let port = 0;
  let stopCaddy: (() => Promise<void>) | undefined;

  before(async function () {
    if (CADDY === null) return this.skip();
    api = createServer((_, response) => void response.end('api')).listen(0, '127.0.0.1');
    await once(api, 'listening');
  });
  afterEach(async () => {
    await stopCaddy?.();
    stopCaddy = undefined;
  });
  after(() => {
    api?.close();
    certificates.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(kind: 'files' | 'internal'): Promise<void> {
    const [http, https, plain] = await Promise.all([freePort(), freePort(), freePort()]);
    port = https;
    const configuration = readConfiguration([addressOf(api)], plain)
      .replace('admin off', `admin off\n\thttp_port ${http}\n\thttps_port ${https}`)
      .replaceAll('/certificates/', `${folder}/`);
    stopCaddy = startCaddy(folder, configuration, { OPERATOR_URL: `https://localhost:${https}`, TLS: kind });
  }

  /** The answer of the API, by a client that trusts the authority alone. */
  async function getTrusting(authorityFile: string): Promise<{ body: string; hsts: string | undefined }> {
    const ca = readFileSync(authorityFile);
    const [response] = await once(getByTls({ host: 'localhost', port, ca, agent: false }), 'response');
    const body = (await response.toArray()).join('');
    return { body, hsts: response.headers['strict-transport-security'] };
  }

  const answersOf = (authorityFile: string) =>
    eventually(
      () => getTrusting(authorityFile).catch(() => null),
      (answer) => answer !== null,
    );

  it('serves the certificate in the given files, and tells browsers to stay with TLS', async () => {
    const authority = certificates.createAuthority('authority');
    const { certFile, keyFile } = authority.issue('localhost');
    copyFileSync(certFile, join(folder, 'fullchain.pem'));
    copyFileSync(keyFile, join(folder, 'privkey.pem'));
    await start('files');
    assert.deepEqual(await answersOf(authority.certFile), { body: 'api', hsts: 'max-age=31536000' });
  });

  it('serves a certificate of its own authority for a trial', async () => {
    await start('internal');
    const answer = await answersOf(join(folder, 'caddy/pki/authorities/local/root.crt'));
    assert.equal(answer?.body, 'api');
  });
});
