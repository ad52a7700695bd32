/** Connections to receivers that answer with arbitrary bytes or not at all. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { createNameLookups } from '../../src/deliveries/name-lookups.service.ts';
import { createSender, type Sender } from '../../src/deliveries/sender.service.ts';
import { createCertificates } from '../support/certificates.ts';
import { startUnansweringListener } from '../support/unanswering-listener.ts';

const DEADLINE_MS = 30_000;
/** For a body that never arrives. */
const BODY_DEADLINE_MS = 5_000;
const CONNECT_MS = 2_000;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Requests a client certificate, and reads until the end of the handshake is known. */
const STRICT_SERVER = `
import socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
context.load_verify_locations(sys.argv[1])
context.verify_mode = ssl.CERT_REQUIRED
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(5)
print(server.getsockname()[1], flush=True)
connection, _ = server.accept()
try:
    context.wrap_socket(connection, server_side=True).recv(1)
except ssl.SSLError:
    connection.close()
`;

describe('A connection to a receiver', () => {
  const servers: Server[] = [];
  let addresses = ['127.0.0.1'];
  let sender: Sender;

  beforeEach(() => {
    addresses = ['127.0.0.1'];
    sender = senderWith(DEADLINE_MS);
  });
  afterEach(async () => {
    await sender.close();
    for (const server of servers.splice(0)) server.close();
  });

  function senderWith(deadlineMs: number, keepAliveMs?: number): Sender {
    const resolve = async () => addresses.map((address) => ({ address, family: 4 }));
    return createSender({
      isAllowedAddress: () => true,
      userAgent: 'test',
      now: () => new Date(),
      deadlineMs,
      connectTimeoutMs: CONNECT_MS,
      ...(keepAliveMs !== undefined && { keepAliveMs }),
      names: createNameLookups({ resolve, timeoutMs: CONNECT_MS, waitMaxMs: CONNECT_MS }),
    });
  }

  const attempt = (url: string, by = sender) =>
    by.attempt({ organizationId: 'any', url, eventId: 'event', body: '{}', secrets: [] });

  async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<string> {
    servers.push(server.listen(port, host));
    await once(server, 'listening');
    return `http://${host}:${(server.address() as AddressInfo).port}/hook`;
  }

  /** `answer` gets the connection of each request, and the number of the request on it. */
  function listenRaw(answer: (socket: Socket, index: number) => void, port?: number, host?: string) {
    const server = createServer((socket) => {
      let count = 0;
      let text = '';
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1');
        if (!text.endsWith('\r\n\r\n{}')) return;
        text = '';
        answer(socket, count++);
      });
    });
    return listen(server, port, host);
  }

  it('delivers after any interim answers', async () => {
    const interim = (text: string) => `HTTP/1.1 ${text}\r\n\r\n`;
    const [first, second] = ['HTTP/1.1 100 Con', 'tinue\r\nServer: x\r\n\r\n'];
    for (const before of [
      [interim('100 Continue')],
      [interim('100 Continue'), interim('100 Continue')],
      [first, second],
      ['HTTP/1.1 100 Continue\n\n'],
      [interim('102 Processing')],
      [interim('103 Early Hints'), interim('103 Early Hints')],
      [interim('103 Early Hints\r\nLink: </a>; rel=preload'), interim('100 Continue')],
      [interim('100 Continue'), interim('102 Processing'), interim('100 Continue')],
    ]) {
      const url = await listenRaw((socket) => {
        for (const [index, part] of before.entries())
          setTimeout(() => socket.write(part + (index === before.length - 1 ? OK : '')), index);
      });
      // The second request is answered on the same connection.
      for (const index of [1, 2]) {
        const { verdict, statusCode, responseExcerpt } = await attempt(url);
        assert.deepEqual(
          [verdict, statusCode, responseExcerpt],
          ['delivered', 200, 'ok'],
          `${before} ${index}`,
        );
      }
    }
  });

  it('ends in its own time, however long the receiver would keep it', async () => {
    let closed: Promise<unknown> | undefined;
    const url = await listenRaw((socket) => {
      closed = once(socket, 'close');
      socket.write(OK.replace('Content-Length', 'Keep-Alive: timeout=600\r\nContent-Length'));
    });
    const brief = senderWith(DEADLINE_MS, 10);
    assert.equal((await attempt(url, brief)).verdict, 'delivered');
    await closed;
    await brief.close();
  });

  it('reads at most 64 KiB of interim answers', async () => {
    let sent = 0;
    const url = await listenRaw((socket) => {
      const send = (): void => {
        sent += 1;
        socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(100), () => socket.destroyed || send());
      };
      send();
    });
    const { verdict, error } = await attempt(url);
    assert.deepEqual([verdict, error], ['retry', 'the answer was not valid HTTP']);
    assert.ok(sent > 20, String(sent));
  });

  it('reports an unrequested protocol switch as invalid HTTP', async () => {
    const url = await listenRaw((socket) => socket.write(`HTTP/1.1 101 Switching Protocols\r\n\r\n${OK}`));
    for (let index = 0; index < 2; index++) {
      const { verdict, error } = await attempt(url);
      assert.deepEqual([verdict, error], ['retry', 'the answer was not valid HTTP']);
    }
  });

  it('treats 204 and 304 as answers without content, whatever their Content-Length', async () => {
    for (const [answer, verdict] of [
      ['204 No Content\r\n\r\n', 'delivered'],
      ['204 No Content\r\nContent-Length: 2\r\n\r\n', 'delivered'],
      ['204 No Content\r\nContent-Length: 2\r\n\r\nok', 'delivered'],
      ['204 No Content\r\n\r\nok', 'delivered'],
      ['304 Not Modified\r\nContent-Length: 5\r\n\r\n', 'retry'],
    ] as const) {
      const result = await attempt(await listenRaw((socket) => socket.write(`HTTP/1.1 ${answer}`)));
      assert.deepEqual([result.verdict, result.statusCode], [verdict, Number(answer.slice(0, 3))], answer);
    }
  });

  it('uses the status of a refusal whose body is cut off or never arrives', async () => {
    const waiting = senderWith(BODY_DEADLINE_MS);
    const refusals = [
      ['410 Gone\r\nContent-Length: 20\r\n\r\nok', 'gone'],
      ['503 Service Unavailable\r\nRetry-After: 60\r\nContent-Length: 20\r\n\r\nok', 'throttled'],
    ] as const;
    const ends = [(socket: Socket) => socket.end(), () => {}];
    const cases = refusals.flatMap((refusal) => ends.map((end) => [...refusal, end] as const));
    await Promise.all(
      cases.map(async ([answer, verdict, end]) => {
        const url = await listenRaw((socket) => socket.write(`HTTP/1.1 ${answer}`, () => end(socket)));
        const { statusCode, verdict: given, error } = await attempt(url, waiting);
        const status = Number(answer.slice(0, 3));
        assert.deepEqual([statusCode, given, error], [status, verdict, `the receiver answered ${status}`]);
      }),
    );
    await waiting.close();
    const half = await listenRaw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok'));
    assert.equal((await attempt(half)).statusCode, null);
  });

  it('repeats a request once on a new connection when the receiver has closed a used one', async () => {
    for (const close of [(socket: Socket) => socket.resetAndDestroy(), (socket: Socket) => socket.end()]) {
      let taken = 0;
      let lost = 0;
      const url = await listenRaw((socket, index) => {
        if (index === 0) socket.write(OK, () => taken++);
        else {
          lost++;
          close(socket);
        }
      });
      for (let index = 0; index < 4; index++) assert.equal((await attempt(url)).verdict, 'delivered');
      assert.equal(taken, 4);
      assert.ok(lost > 0, 'connections were used again');
    }
  });

  it('repeats no request that was the first on its connection, or whose answer had begun', async () => {
    let requests = 0;
    const closing = await listenRaw((socket) => {
      requests++;
      socket.end();
    });
    assert.deepEqual(await attempt(closing).then(({ verdict, error }) => [verdict, error]), [
      'retry',
      'the connection was closed before the answer was complete',
    ]);
    assert.equal(requests, 1);
    let broken = 0;
    const breaking = await listenRaw((socket, index) => {
      if (index === 0) socket.write(OK);
      else socket.end('H', () => broken++);
    });
    const verdicts: string[] = [];
    for (let index = 0; index < 4; index++) verdicts.push((await attempt(breaking)).verdict);
    assert.ok(broken > 0, 'connections were used again');
    assert.equal(verdicts.filter((verdict) => verdict === 'retry').length, broken);
  });

  it('sends the host name to TLS without a trailing dot, and no name for an address', async () => {
    const named: string[] = [];
    const server = createTlsServer({
      SNICallback(name, done) {
        named.push(name);
        done(new Error('only the name matters'));
      },
    }).on('tlsClientError', () => {});
    const { port } = new URL(await listen(server));
    for (const host of ['hook.test', 'hook.test.', 'bücher.test.', '127.0.0.1'])
      assert.equal((await attempt(`https://${host}:${port}/`)).verdict, 'retry');
    assert.deepEqual(named, ['hook.test', 'hook.test', 'xn--bcher-kva.test']);
  });

  it('gives each address of a host its share of the time to connect', async function () {
    // Other systems have a single loopback address.
    if (process.platform !== 'linux') return this.skip();
    const listener = await startUnansweringListener();
    const { port } = new URL(listener.url);
    await listenRaw((socket) => socket.write(OK), Number(port), '127.0.0.2');
    addresses = ['127.0.0.1', '127.0.0.2'];
    const { verdict, durationMs } = await attempt(`http://hook.test:${port}/`);
    listener.stop();
    assert.equal(verdict, 'delivered');
    assert.ok(durationMs >= CONNECT_MS / 2 - 50 && durationMs < DEADLINE_MS, `${durationMs} ms`);
  });

  it('reports the TLS alert of a receiver that requires a client certificate', async function () {
    if (spawnSync('python3', ['--version']).error) return this.skip();
    const certificates = createCertificates();
    const { certFile, keyFile } = certificates.createAuthority('receiver').issue('localhost');
    const trusted = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    const python = spawn('python3', ['-c', STRICT_SERVER, certFile, keyFile]);
    try {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      const [port] = await once(python.stdout, 'data');
      const { error } = await attempt(`https://localhost:${String(port).trim()}/`);
      assert.match(error ?? '', /^TLS failed \(\w*CERTIFICATE_REQUIRED\)$/);
    } finally {
      if (trusted === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = trusted;
      python.kill();
      certificates.remove();
    }
  });
});
