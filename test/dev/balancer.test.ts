import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startHttpProxy } from '../../dev/balancer/http-proxy.ts';
import { startUdpBalancer } from '../../dev/balancer/udp-balancer.ts';

describe('The HTTP proxy', () => {
  const servers: Server[] = [];
  const stops: Array<() => Promise<void>> = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
    for (const stop of stops.splice(0)) await stop();
  });

  /** Answers with its name and the received body. */
  async function startNamed(name: string, answers = true): Promise<number> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (answers) response.writeHead(201, { 'x-server': name }).end(body);
    });
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function startProxy(ports: number[], timeoutMs = 5_000): Promise<string> {
    const proxy = await startHttpProxy({ ports, timeoutMs });
    stops.push(proxy.stop);
    return proxy.url;
  }

  const post = (url: string, body: string) => fetch(url, { method: 'POST', body });

  it('sends requests to each process in turn, with their bodies', async () => {
    const url = await startProxy([await startNamed('a'), await startNamed('b')]);
    const seen = [];
    for (const body of ['1', '2', '3', '4']) {
      const response = await post(url, body);
      assert.equal(await response.text(), body);
      seen.push(response.headers.get('x-server'));
    }
    assert.deepEqual(seen.sort(), ['a', 'a', 'b', 'b']);
  });

  it('sends a request to another process when one refuses the connection, with its body', async () => {
    const gone = await startNamed('gone');
    servers[0]?.close();
    const url = await startProxy([gone, await startNamed('b')]);
    for (const body of ['1', '2', '3']) assert.equal(await (await post(url, body)).text(), body);
  });

  it('answers 502 when no process listens, and 504 when a process hangs', async () => {
    const gone = await startNamed('gone');
    servers[0]?.close();
    assert.equal((await post(await startProxy([gone]), '1')).status, 502);
    assert.equal((await post(await startProxy([await startNamed('hung', false)], 200), '1')).status, 504);
  });
});

describe('The UDP balancer', () => {
  const sockets: Socket[] = [];
  const stops: Array<() => Promise<void>> = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.close();
    for (const stop of stops.splice(0)) await stop();
  });

  async function bind(port = 0): Promise<Socket> {
    const socket = createSocket('udp4').bind(port, '127.0.0.1');
    await once(socket, 'listening');
    return socket;
  }

  async function startEcho(name: string): Promise<Socket> {
    const socket = await bind();
    socket.on('message', (text, { port }) => socket.send(`${name} ${text}`, port, '127.0.0.1'));
    return socket;
  }

  async function startBalancer(echoes: Socket[]): Promise<number> {
    const balancer = await startUdpBalancer(echoes.map((echo) => echo.address().port));
    stops.push(balancer.stop);
    return balancer.port;
  }

  async function ask(from: Socket, port: number, text: string): Promise<string> {
    from.send(text, port, '127.0.0.1');
    const [answer] = (await once(from, 'message')) as [Buffer];
    return answer.toString();
  }

  it('keeps an address at one process, and spreads addresses over all', async () => {
    const echoes = [await startEcho('a'), await startEcho('b')];
    sockets.push(...echoes);
    const port = await startBalancer(echoes);
    const homes = [];
    for (let device = 0; device < 4; device++) {
      const from = await bind();
      sockets.push(from);
      const answers = [await ask(from, port, 'x'), await ask(from, port, 'x'), await ask(from, port, 'x')];
      assert.equal(new Set(answers).size, 1);
      homes.push(answers[0]);
    }
    assert.deepEqual(homes.sort(), ['a x', 'a x', 'b x', 'b x']);
  });

  it('moves an address to another process when its own no longer listens', async () => {
    const echoes = [await startEcho('a'), await startEcho('b')] as [Socket, Socket];
    const port = await startBalancer(echoes);
    const from = await bind();
    sockets.push(from, echoes[1]);
    assert.equal(await ask(from, port, '1'), 'a 1');
    echoes[0].close();
    // A device repeats messages without an answer.
    let answer = '';
    while (answer === '') {
      from.send('2', port, '127.0.0.1');
      answer = await once(from, 'message', { signal: AbortSignal.timeout(100) }).then(
        ([bytes]) => String(bytes),
        () => '',
      );
    }
    assert.equal(answer, 'b 2');
  });
});
