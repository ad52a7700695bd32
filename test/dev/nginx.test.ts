/** The proxy and balancer of the compose file; needs nginx with its stream module. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../dev/embedded/free-port.ts';
import { eventually } from '../support/fleet.ts';

const CONFIGURATION = fileURLToPath(new URL('../../deploy/nginx.conf', import.meta.url));
const NGINX = process.env.NGINX_PATH ?? 'nginx';
/** A separate file on Debian. */
const STREAM_MODULE = process.env.NGINX_STREAM_MODULE ?? '/usr/lib/nginx/modules/ngx_stream_module.so';

interface Answer {
  name: string;
  bytes: number;
  from: string;
  host: string;
}

function isInstalled(): boolean {
  try {
    execFileSync(NGINX, ['-v'], { stdio: 'ignore' });
    readFileSync(STREAM_MODULE);
    return true;
  } catch {
    return false;
  }
}

describe('The balancer of the compose file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-nginx-'));
  const apis: Server[] = [];
  const gateways: Socket[] = [];
  let nginx: ChildProcess | undefined;
  let ports = { http: 0, coap: 0 };

  before(async function () {
    if (!isInstalled()) {
      console.log('    nginx with its stream module is not installed: its configuration is not tried');
      return this.skip();
    }
    for (const name of ['a', 'b']) apis.push(await startApi(name));
    for (const name of ['a', 'b', 'c']) gateways.push(await startGateway(name));
    ports = { http: await freePort(), coap: await freePort() };
    writeFileSync(join(folder, 'nginx.conf'), configuration());
    const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'];
    execFileSync(NGINX, [...args.slice(0, 4), '-t'], { stdio: 'pipe' });
    nginx = spawn(NGINX, args, { stdio: 'ignore' });
    await eventually(
      () =>
        get('/').then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status === 200,
    );
  });
  after(async () => {
    if (nginx) {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
    }
    for (const server of apis) server.close();
    for (const socket of gateways) socket.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * The configuration of the compose file, with processes of this machine in place of names that only Docker
   * knows, and without directives that are too new for Debian's nginx.
   */
  function configuration(): string {
    const servers = (all: Array<{ port: number }>, more = '') =>
      all.map(({ port }) => `server 127.0.0.1:${port}${more};`).join(' ');
    const text = readFileSync(CONFIGURATION, 'utf8')
      .replace(
        'server api:8080 resolve',
        `${servers(
          apis.map((api) => api.address() as AddressInfo),
          ' max_fails=1 fail_timeout=2s',
        )} server 127.0.0.1:1`,
      )
      .replace('server gateway:5683 resolve;', servers(gateways.map((each) => each.address())))
      .replace('/tmp/nginx.pid', join(folder, 'nginx.pid'))
      .replace('listen 8080', `listen 127.0.0.1:${ports.http}`)
      .replace('listen 5683', `listen 127.0.0.1:${ports.coap}`);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    return `load_module ${STREAM_MODULE};\n${text.replace('http {', `http { ${paths.join(' ')}`)}`;
  }

  async function startApi(name: string): Promise<Server> {
    const server = createServer(async (request, response) => {
      let bytes = 0;
      for await (const chunk of request) bytes += chunk.length;
      const { 'x-forwarded-for': from, host } = request.headers;
      response.end(JSON.stringify({ name, bytes, from, host }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  /** Answers each datagram with its name. */
  async function startGateway(name: string): Promise<Socket> {
    const socket = createSocket('udp4', (_, { port, address }) => socket.send(name, port, address));
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return socket;
  }

  const get = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${ports.http}${path}`, init);

  async function namesFor(address: string): Promise<string[]> {
    const names: string[] = [];
    for (let count = 0; count < 3; count++) {
      const socket = createSocket('udp4');
      socket.bind(0, address);
      await once(socket, 'listening');
      socket.send('frame', ports.coap, '127.0.0.1');
      const [answer] = await once(socket, 'message');
      names.push(String(answer));
      socket.close();
    }
    return names;
  }

  it('spreads requests over all APIs, skips one that is down, and passes on the client address', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    const answers = await Promise.all(
      Array.from({ length: 12 }, async () => (await (await get('/', { headers })).json()) as Answer),
    );
    assert.deepEqual([...new Set(answers.map(({ name }) => name))].sort(), ['a', 'b']);
    for (const { from, host } of answers)
      assert.deepEqual([from, host], ['127.0.0.1', `127.0.0.1:${ports.http}`]);
  });

  it('passes bodies of any size', async () => {
    const body = Buffer.alloc(11 * 1024 * 1024);
    const { bytes } = (await (await get('/', { method: 'PUT', body })).json()) as Answer;
    assert.equal(bytes, body.length);
  });

  it('sends the datagrams of an address to one gateway, and spreads addresses over all', async () => {
    const all = new Set<string>();
    for (let host = 2; host < 32; host++) {
      const names = new Set(await namesFor(`127.0.0.${host}`));
      assert.equal(names.size, 1, `127.0.0.${host}: ${[...names]}`);
      for (const name of names) all.add(name);
    }
    assert.deepEqual([...all].sort(), ['a', 'b', 'c']);
  });

  it('answers as the API does when no API is up', async () => {
    for (const server of apis) {
      server.close();
      server.closeAllConnections();
    }
    const answer = await get('/assets');
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '5');
    assert.equal(((await answer.json()) as { success: boolean }).success, false);
  });
});
