/** Invalid HTTP, and requests that are too slow. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { openHolder } from '../support/lock-waits.ts';
import { exchange, type RawAnswer } from '../support/raw-socket.ts';
import { useService } from '../support/service.ts';
import { assertError } from './harness.ts';

const KIBIBYTE = 1024;

describe('Bad HTTP', () => {
  const dms = useService({ withWorker: false });
  let token: string;

  before(async () => {
    token = (await dms.issueKey(dms.id, 'customer')).token;
  });

  it('stops a process without waiting for idle keep-alive connections', async () => {
    const api = await dms.service.startApi();
    const agent = new Agent({ keepAlive: true });
    const asked = get({ port: api.port, path: '/livez', agent });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
    // Waiting for them would take longer than a test may.
    await api.stop(600_000);
    agent.destroy();
  });

  describe('malformed HTTP', () => {
    const send = (text: string, options?: { end: boolean }) => exchange(dms.baseUrl, [text], options);

    it('answers 400 to a malformed request line or header', async () => {
      const lines = [
        'nonsense\r\n\r\n',
        'GET /assets HTTP/9.9\r\nHost: x\r\n\r\n',
        'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n',
        'G@T /assets HTTP/1.1\r\nHost: x\r\n\r\n',
        'GET /assets HTTP/1.1\r\nHost: x\r\nno colon here\r\n\r\n',
        'GET /assets HTTP/1.1\r\nHost: x\r\nX-A: \u0000\r\n\r\n',
        'POST /assets HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
        'POST /assets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
        'POST /assets HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        '\u0016\u0003\u0001\u0002\u0000',
      ];
      for (const line of lines) assertError(await send(line), 400, JSON.stringify(line));
    });

    it('answers 400 to HTTP/1.1 without a Host header', async () => {
      assertError(await send('GET /assets HTTP/1.1\r\nConnection: close\r\n\r\n'), 400);
    });

    it('answers 400 to more than one Host header', async () => {
      for (const hosts of ['Host: x\r\nHost: y', 'Host: x\r\nhost: x', 'Host: \r\nHost: x']) {
        for (const version of ['1.1', '1.0']) {
          const answer = await send(`GET /livez HTTP/${version}\r\n${hosts}\r\nConnection: close\r\n\r\n`);
          assertError(answer, 400, `${version} ${hosts}`);
        }
      }
    });

    it('answers 400 to a Host header with more than one host', async () => {
      for (const host of ['x, y', 'x,y', 'x y', 'x/y', 'user@x']) {
        const answer = await send(`GET /livez HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        assertError(answer, 400, host);
      }
    });

    it('accepts hosts with and without a port, and HTTP/1.0 without any', async () => {
      for (const host of ['x', 'x.example:8080', '127.0.0.1:80', '[::1]:8080']) {
        const answer = await send(`GET /livez HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        assert.equal(answer?.status, 200, host);
      }
      assert.equal((await send('GET /livez HTTP/1.0\r\n\r\n'))?.status, 200);
    });

    it('answers 400 to more than one Authorization or Content-Type header', async () => {
      const start = 'POST /assets HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 24\r\n';
      const key = `Authorization: Bearer ${token}\r\n`;
      const type = 'Content-Type: application/json\r\n';
      for (const fields of [
        `${key}${key}${type}`,
        `${key}authorization: x\r\n${type}`,
        `${key}${type}${type}`,
      ]) {
        assertError(await send(`${start}${fields}\r\n{"serialNumber":"TWICE"}`), 400, fields);
      }
    });

    it('answers 400 to any transfer coding except chunked', async () => {
      const chunked = '2\r\n{}\r\n0\r\n\r\n';
      for (const coding of ['gzip, chunked', 'identity, chunked', 'chunked, chunked', 'x,chunked', 'gzip']) {
        const lines = [
          'POST /assets HTTP/1.1',
          'Host: x',
          `Authorization: Bearer ${token}`,
          'Connection: close',
          'Content-Type: application/json',
          `Transfer-Encoding: ${coding}`,
        ];
        assertError(await send(`${lines.join('\r\n')}\r\n\r\n${chunked}`), 400, coding);
      }
      const twice = 'Host: x\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked';
      assertError(await send(`POST /assets HTTP/1.1\r\n${twice}\r\n\r\n${chunked}`), 400);
    });

    it('answers 431 to more than 200 header fields of any size', async () => {
      const fields = (count: number) => 'a:b\r\n'.repeat(count);
      const close = 'Host: x\r\nConnection: close\r\n';
      const few = await send(`GET /livez HTTP/1.1\r\n${close}${fields(190)}\r\n`);
      assert.equal(few?.status, 200);
      for (const count of [200, 1_100, 2_500]) {
        const last = `Authorization: Bearer ${token}\r\n`;
        const text = `GET /assets HTTP/1.1\r\n${close}${fields(count)}${last}\r\n`;
        assertError(await send(text), 431, `${count} fields`);
      }
    });

    it('answers a valid request first when garbage follows it on the connection', async () => {
      for (let round = 0; round < 5; round++) {
        const { body, ...request } = registration();
        const answer = await exchange(dms.baseUrl, [`${request.head}${body}nonsense\r\n\r\n`]);
        assert.equal(answer?.status, 201, answer?.body);
        assert.match(answer.body, /HTTP\/1\.1 400 Bad Request/, 'and the garbage after it');
      }
      const [first, second] = [registration(), registration()];
      const both = `${first.head}${first.body}${second.head}${second.body}`;
      const answer = await exchange(dms.baseUrl, [`${both}nonsense\r\n\r\n`]);
      const statuses = [...`HTTP/1.1 ${answer?.status} ${answer?.body}`.matchAll(/HTTP\/1\.1 (\d+)/g)];
      assert.deepEqual(
        statuses.map(([, status]) => status),
        ['201', '201', '400'],
      );
    });

    it('refuses a connection once, however much garbage arrives while a request is under way', async () => {
      const warnings: Error[] = [];
      const onWarning = (warning: Error) => warnings.push(warning);
      process.on('warning', onWarning);
      const blocker = await openHolder(dms.service.sql);
      await blocker.raw('lock table assets');
      const { hostname, port } = new URL(dms.baseUrl);
      const socket = connect({ host: hostname, port: Number(port) }).setNoDelay();
      const closed = once(socket, 'close');
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.write(`GET /assets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      for (let piece = 0; piece < 20; piece++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        socket.write('nonsense\r\n\r\n');
      }
      await blocker.rollback();
      await closed;
      process.off('warning', onWarning);
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      assert.deepEqual([statuses, warnings], [['200', '400'], []]);
    });

    it('closes connections after CONNECT, also those that the client resets or keeps open', async () => {
      const api = await dms.service.startApi();
      const open = () => {
        const socket = connect({ port: api.port, allowHalfOpen: true });
        socket.write('CONNECT x HTTP/1.1\r\nHost: x\r\n\r\n');
        return socket;
      };
      const [reset, kept] = [open(), open()];
      await once(reset, 'data');
      reset.resetAndDestroy();
      await once(kept.resume(), 'end');
      // Waiting for the client would take longer than a test may.
      await api.stop(600_000);
      kept.destroy();
    });

    const registration = () => {
      const body = JSON.stringify({ serialNumber: randomUUID() });
      const lines = [
        'POST /assets HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ];
      return { head: `${lines.join('\r\n')}\r\n\r\n`, body };
    };

    it('answers 400 to a request that ends within its headers', async () => {
      assertError(await send('GET /assets HTTP/1.1\r\nHost: x\r\nX-A: b', { end: true }), 400);
    });

    it('answers 431 to headers of more than 16 KiB', async () => {
      const long = 'a'.repeat(17 * KIBIBYTE);
      assertError(await send(`GET /assets HTTP/1.1\r\nHost: x\r\nX-Long: ${long}\r\n\r\n`), 431, 'a header');
      assertError(await send(`GET /assets?${long} HTTP/1.1\r\nHost: x\r\n\r\n`), 431, 'the path');
    });

    it('ignores expectations other than 100-continue', async () => {
      const answer = await send(
        `GET /assets HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      );
      assert.equal(answer?.status, 200);
    });

    it('keeps the response to the previous request of the connection intact', async () => {
      const first = `GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`;
      const answer = (await exchange(dms.baseUrl, [first, 'nonsense\r\n\r\n'])) as RawAnswer;
      if (answer.status === 200) {
        const length = Number(answer.headers['content-length']);
        assert.doesNotThrow(() => JSON.parse(Buffer.from(answer.body).subarray(0, length).toString()));
      } else assertError(answer, 400);
    });
  });

  describe('slow requests', () => {
    const slow = useService({ withWorker: false, settings: { requestTimeoutMs: 200 } });

    it('answers 408 when the headers do not end in time', async () => {
      assertError(await exchange(slow.baseUrl, ['GET /assets HTTP/1.1\r\nHost: x\r\n']), 408);
    });

    it('answers 408 when the body does not end in time', async () => {
      const { token: key } = await slow.issueKey(slow.id, 'customer');
      const lines = [
        'POST /assets HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        'Content-Length: 100',
      ];
      assertError(await exchange(slow.baseUrl, [`${lines.join('\r\n')}\r\n\r\n{"serial`]), 408);
      const { body } = await slow.api.get('/assets');
      assert.equal(body.totalItems, 0);
    });
  });
});
