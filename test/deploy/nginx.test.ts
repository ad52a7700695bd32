/** The balancer for loggers of the compose file; needs nginx with its stream module. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../dev/embedded/free-port.ts';

const CONFIGURATION = fileURLToPath(new URL('../../deploy/nginx.conf', import.meta.url));
const NGINX = process.env.NGINX_PATH ?? 'nginx';
/** A separate file on Debian. */
const STREAM_MODULE = process.env.NGINX_STREAM_MODULE ?? '/usr/lib/nginx/modules/ngx_stream_module.so';

function isInstalled(): boolean {
  try {
    execFileSync(NGINX, ['-v'], { stdio: 'ignore' });
    readFileSync(STREAM_MODULE);
    return true;
  } catch {
    return false;
  }
}

describe('The balancer for gateways of the compose file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-nginx-'));
  const gateways: Socket[] = [];
  let nginx: ChildProcess | undefined;
  let port = 0;

  before(async function () {
    if (!isInstalled()) {
      console.log('    nginx with its stream module is not installed: its configuration is not tried');
      return this.skip();
    }
    for (const name of ['a', 'b', 'c']) gateways.push(await startGateway(name));
    port = await freePort();
    writeFileSync(join(folder, 'nginx.conf'), configuration());
    const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'];
    execFileSync(NGINX, [...args.slice(0, 4), '-t'], { stdio: 'pipe' });
    nginx = spawn(NGINX, args, { stdio: 'ignore' });
  });
  after(async () => {
    if (nginx) {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
    }
    for (const socket of gateways) socket.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * The configuration of the compose file, with processes of this machine in place of names that only Docker
   * knows, and without directives that are too new for Debian's nginx.
   */
  function configuration(): string {
    const servers = gateways.map((gateway) => `server 127.0.0.1:${gateway.address().port};`);
    const text = readFileSync(CONFIGURATION, 'utf8')
      .replace('worker_processes auto;', 'worker_processes 2;')
      .replace('server gateway:5683 resolve;', servers.join(' '))
      .replace('/tmp/nginx.pid', join(folder, 'nginx.pid'))
      .replace('listen 5683', `listen 127.0.0.1:${port}`);
    return `load_module ${STREAM_MODULE};\n${text}`;
  }

  /** Answers each datagram with its name and the port that it came from. */
  async function startGateway(name: string): Promise<Socket> {
    const socket = createSocket('udp4', (_, { port, address }) =>
      socket.send(`${name} ${port}`, port, address),
    );
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return socket;
  }

  async function namesFor(address: string): Promise<string[]> {
    const names: string[] = [];
    for (let count = 0; count < 3; count++) {
      const socket = createSocket('udp4');
      socket.bind(0, address);
      await once(socket, 'listening');
      const repeat = setInterval(() => socket.send('frame', port, '127.0.0.1'), 100);
      socket.send('frame', port, '127.0.0.1');
      const [answer] = await once(socket, 'message');
      clearInterval(repeat);
      names.push(String(answer).slice(0, 1));
      socket.close();
    }
    return names;
  }

  /** The different answers to many datagrams of one socket, which come faster than one worker takes them. */
  async function answersToMany(): Promise<string[]> {
    const answers: string[] = [];
    const socket = createSocket('udp4', (answer) => void answers.push(String(answer)));
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const burst = () => {
      for (let count = 0; count < 100; count++) socket.send('frame', port, '127.0.0.1');
    };
    const repeat = setInterval(burst, 20);
    burst();
    while (answers.length < 500) await once(socket, 'message');
    clearInterval(repeat);
    socket.close();
    return [...new Set(answers)];
  }

  it('sends the datagrams of an address to one gateway, and spreads addresses over all', async () => {
    const all = new Set<string>();
    for (let host = 2; host < 32; host++) {
      const names = new Set(await namesFor(`127.0.0.${host}`));
      assert.equal(names.size, 1, `127.0.0.${host}: ${[...names]}`);
      for (const name of names) all.add(name);
    }
    assert.deepEqual([...all].sort(), ['a', 'b', 'c']);
  });

  it('hands on the datagrams of a logger from one port, whichever of its workers takes them', async () => {
    const answers = await answersToMany();
    assert.equal(answers.length, 1, answers.join());
  });
});
