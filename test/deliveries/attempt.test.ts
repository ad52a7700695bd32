/** One attempt, against receivers that answer, fail and misbehave in every known way. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { query } from '../../src/db/query.ts';
import { createNameLookups } from '../../src/deliveries/name-lookups.service.ts';
import { createSender } from '../../src/deliveries/sender.service.ts';
import { serializeEvent } from '../../src/events/event.ts';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.schemas.ts';
import { VERSION } from '../../src/process/version.ts';
import { setEnvironment } from '../support/environment.ts';
import { eventually } from '../support/fleet.ts';
import { type Receiver, startReceiver, startTlsReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { startUnansweringListener } from '../support/unanswering-listener.ts';
import { type Endpoint, QUICK, QUICK_PLAN, SECRET, useCustomer } from './harness.ts';

const TEST_BODY = serializeEvent({
  type: 'webhook.test',
  timestamp: new Date(0),
  data: EVENT_CATALOGUE['webhook.test'].example,
});
const DEADLINE_MS = 3_000;
const LONG_DEADLINE_MS = 60_000;
const CONNECT_MS = 1_000;
const PROBE_PLAN = { firstMs: 30, share: 0, maxMs: 30 };
const PROXY = {
  http_proxy: 'http://127.0.0.1:9/',
  HTTP_PROXY: 'http://127.0.0.1:9/',
  NODE_USE_ENV_PROXY: '1',
};

/** Faults of a receiver, with the error that is reported for each. */
const FAULTS: Array<{ does: string; how(response: ServerResponse): void; error: RegExp }> = [
  { does: 'answers 500', how: (response) => response.writeHead(500).end(), error: /answered 500/ },
  {
    does: 'resets the connection',
    how: (response) => response.socket?.resetAndDestroy(),
    error: /reset|closed/,
  },
  { does: 'closes without an answer', how: (response) => response.socket?.end(), error: /closed|reset/ },
  {
    does: 'closes in the middle of its answer',
    how: (response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half of');
      setTimeout(() => response.socket?.destroy(), 20);
    },
    error: /closed|reset/,
  },
  {
    does: 'does not speak HTTP',
    how: (response) => response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'),
    error: /not valid HTTP/,
  },
  {
    does: 'answers with endless headers',
    how: (response) => response.socket?.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`),
    error: /^the header fields of the answer were too long$/,
  },
  { does: 'never answers', how: () => {}, error: /no complete answer within 3 s/ },
  {
    does: 'stops after its headers',
    how: (response) => response.writeHead(200, { 'content-length': 10 }).flushHeaders(),
    error: /no complete answer within 3 s/,
  },
  { does: 'answers drop by drop', how: drip, error: /no complete answer within 3 s/ },
];

/** Faults that only the deadline ends. */
const SLOW = /^(never answers|stops after|answers drop)/;

function drip(response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write('.'), 50);
  response.on('close', () => clearInterval(timer));
}

/** Writes as much as the client reads, at most a gigabyte. Returns the number of bytes so far. */
function pour(response: ServerResponse): () => number {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  let written = 0;
  response.writeHead(200);
  function more(): void {
    while (written < 1_000_000_000 && !response.destroyed) {
      written += chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  }
  more();
  return () => written;
}

describe('A delivery attempt', () => {
  let receiver: Receiver;

  const dms = useService({
    // The clock of this process, which times of the service are compared with.
    now: () => new Date(),
    settings: {
      webhooks: {
        ...QUICK,
        deadlineMs: DEADLINE_MS,
      },
    },
    deliveryPlan: { ...QUICK_PLAN, scheduleMs: Array(20).fill(50), probePlan: PROBE_PLAN },
    resolve: async (hostname) => {
      if (hostname === 'receiver.test') return [{ address: '127.0.0.1', family: 4 }];
      throw Object.assign(new Error(`getaddrinfo ${hostname}`), { code: 'ENOTFOUND' });
    },
  });
  const customer = useCustomer(dms);
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await customer.unsubscribeAll();
    await receiver.stop();
  });

  /** Subscribed to no event that occurs: receives only tests. */
  const quietEndpoint = (url = receiver.url) => customer.subscribe(url, { events: ['device.online'] });

  it('counts any 2xx answer as delivered', async () => {
    const endpoint = await quietEndpoint();
    for (const status of [200, 201, 202, 204, 299]) {
      receiver.answer((response) => response.writeHead(status).end());
      const { delivered, statusCode, error } = await endpoint.test();
      assert.deepEqual([delivered, statusCode, error], [true, status, null]);
    }
  });

  it('counts every other answer as a failure, and follows no redirect', async () => {
    const endpoint = await quietEndpoint();
    for (const status of [301, 302, 303, 307, 308, 400, 401, 404, 410, 418, 429, 500, 503, 599]) {
      receiver.answer((response) => response.writeHead(status, { location: '/elsewhere' }).end());
      const { delivered, statusCode, error } = await endpoint.test();
      assert.deepEqual([delivered, statusCode], [false, status]);
      assert.equal(error, `the receiver answered ${status}`);
    }
    assert.equal(receiver.received.length, 14);
    assert.ok(receiver.received.every(({ path }) => path === '/hook'));
  });

  it('reports the fault of a receiver, within the deadline', async () => {
    const reports = async ({ does, how, error: expected }: (typeof FAULTS)[number]) => {
      const faulty = await startReceiver();
      faulty.answer(how);
      const { delivered, error, durationMs } = await (await quietEndpoint(faulty.url)).test();
      await faulty.stop();
      assert.equal(delivered, false, does);
      assert.match(error ?? '', expected, does);
      assert.ok(durationMs < DEADLINE_MS + 10_000, `${does}: ${durationMs} ms`);
    };
    // As many tests at once as a key may begin.
    const [slow, quick] = [true, false].map((isSlow) =>
      FAULTS.filter(({ does }) => SLOW.test(does) === isSlow),
    ) as [typeof FAULTS, typeof FAULTS];
    for (const each of quick) await reports(each);
    await Promise.all(slow.map(reports));
  });

  it('reports why it could not connect', async () => {
    const closed = await startReceiver();
    await closed.stop();
    const tls = await startTlsReceiver();
    for (const [url, expected] of [
      [closed.url, /^the connection was refused$/],
      ['https://nowhere.test/hook', /^not reachable$/],
      [receiver.url.replace('http:', 'https:'), /^TLS failed/],
      [tls.url, /^TLS failed \(\w*SELF_SIGNED\w*\)$/],
    ] as const) {
      const { delivered, statusCode, error } = await (await quietEndpoint(url)).test();
      assert.deepEqual([delivered, statusCode], [false, null], url);
      assert.match(error ?? '', expected, url);
    }
    assert.equal(receiver.received.length + tls.received.length, 0);
    await tls.stop();
  });

  it('sends nothing while the secret cannot be opened, and retries until it can be', async () => {
    const endpoint = await customer.subscribe(receiver.url, { secret: SECRET });
    const replaceSealed = async (secret: Buffer) => {
      const [row] = await query<{ secret: Buffer }>(
        dms.service.sql,
        'update endpoints set secret = ? where organization_id = ? and id = ? returning old.secret',
        [secret, customer.id, endpoint.id],
      );
      return row?.secret as Buffer;
    };
    const original = await replaceSealed(Buffer.from('sealed with a key that is gone'));
    await customer.publish(1);
    await endpoint.until(([only]) => only?.lastError === 'the signing secret cannot be opened');
    assert.equal(receiver.received.length, 0);
    await replaceSealed(original);
    await endpoint.untilAll('delivered', 1);
    assert.match(String(receiver.received[0]?.headers['webhook-signature']), /^v1,/);
  });

  it('shows a delivery whose request cannot be built, sends other deliveries, and retries until it can be built', async () => {
    const [endpoint, other] = [
      await customer.subscribe(receiver.url),
      await customer.subscribe(receiver.url),
    ];
    const setUrl = (url: string) =>
      query(dms.service.sql, 'update endpoints set url = ? where organization_id = ? and id = ?', [
        url,
        customer.id,
        endpoint.id,
      ]);
    await setUrl('no URL');
    await customer.publish(1);
    await endpoint.until(([only]) => only?.lastError === 'the request cannot be made');
    await other.untilAll('delivered', 1);
    await setUrl(receiver.url);
    await endpoint.untilAll('delivered', 1);
  });

  it('retries after every kind of failure with the same webhook-id and body, and records each attempt', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    // One of the three that only the deadline ends: they differ in nothing that a retry sees.
    const faults = FAULTS.filter(({ does }) => !/^(stops after|answers drop)/.test(does));
    receiver.answer((response, index) => {
      const fault = faults[index];
      // A request that is lost on a reused connection is repeated within the attempt.
      if (/^answers \d/.test(fault?.does ?? '')) response.setHeader('connection', 'close');
      if (fault) fault.how(response);
      else response.writeHead(204).end();
    });
    await customer.publish(1);
    await endpoint.untilAll('delivered', 1);
    const { attempts, attemptCount, lastStatusCode, lastError, nextAttemptAt } = await endpoint.delivery();
    assert.deepEqual(
      [attemptCount, lastStatusCode, lastError, nextAttemptAt],
      [faults.length + 1, 204, null, null],
    );
    attempts.forEach(({ number, error }, index) => {
      assert.equal(number, index + 1);
      assert.match(error ?? 'delivered', faults[index]?.error ?? /^delivered$/);
    });
    const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    const bodies = new Set(receiver.received.map(({ body }) => body));
    assert.deepEqual([ids.size, bodies.size], [1, 1], 'the same event on every attempt');
  });

  it('sends exactly the headers of the contract', async () => {
    const endpoint = await quietEndpoint();
    const before = Math.floor(Date.now() / 1000);
    await endpoint.test();
    const [received] = await receiver.until(1);
    const headers = received?.headers ?? {};
    assert.deepEqual(Object.keys(headers).sort(), [
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
      'webhook-id',
      'webhook-timestamp',
    ]);
    assert.equal(headers['accept-encoding'], 'identity');
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['user-agent'], `device-monitoring-service/${VERSION}`);
    assert.match(String(headers['webhook-id']), /^[^.\s]+$/);
    const sentAt = Number(headers['webhook-timestamp']);
    assert.ok(sentAt >= before && sentAt <= Date.now() / 1000, 'unix seconds of the attempt');
  });

  it('sends every endpoint the same bytes under the same webhook-id', async () => {
    const other = await startReceiver();
    const endpoints = [
      await customer.subscribe(receiver.url),
      await customer.subscribe(other.url),
      await customer.subscribeCellular(`${other.url}/cellular`),
    ];
    await customer.publish(1);
    await Promise.all(endpoints.map((endpoint) => endpoint.untilAll('delivered', 1)));
    const copies = [...receiver.received, ...other.received];
    assert.equal(copies.length, 3);
    assert.equal(new Set(copies.map(({ body }) => body)).size, 1);
    assert.equal(new Set(copies.map(({ headers }) => headers['webhook-id'])).size, 1);
    await other.stop();
  });

  const newSender = () =>
    createSender({
      isAllowedAddress: () => true,
      userAgent: 'test',
      now: () => new Date(),
      deadlineMs: LONG_DEADLINE_MS,
      connectTimeoutMs: CONNECT_MS,
      names: createNameLookups({ resolve: async () => [], timeoutMs: CONNECT_MS, waitMaxMs: CONNECT_MS }),
    });
  const outgoing = (url: string) => ({
    organizationId: 'any',
    url,
    eventId: 'event',
    body: TEST_BODY,
    secrets: [],
  });

  it('gives up connecting before the deadline of the attempt', async () => {
    const listener = await startUnansweringListener();
    const sender = newSender();
    const { verdict, error, durationMs } = await sender.attempt(outgoing(listener.url));
    await sender.close();
    listener.stop();
    assert.deepEqual([verdict, error], ['retry', 'no connection in time']);
    assert.ok(durationMs > CONNECT_MS / 2 && durationMs < LONG_DEADLINE_MS / 2, `${durationMs} ms`);
  });

  it('ignores proxies in the environment', async () => {
    const restoreEnvironment = setEnvironment(PROXY);
    try {
      const sender = newSender();
      const { verdict } = await sender.attempt(outgoing(receiver.url));
      assert.equal(verdict, 'delivered');
      await sender.close();
    } finally {
      restoreEnvironment();
    }
  });

  it('records the first KiB of the answer, escaped', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    const answer = `<script>alert("\u0000\u001b[31m'\\&\u202e")</script>`.padEnd(200_000, 'é');
    receiver.answer((response, index) => response.writeHead(index === 0 ? 500 : 204).end(answer));
    await customer.publish(1);
    await endpoint.untilAll('delivered', 1);
    const { attempts } = await endpoint.delivery();
    const excerpt = attempts[0]?.responseExcerpt ?? '';
    assert.ok(
      excerpt.startsWith(
        String.raw`\u003cscript\u003ealert(\u0022\u0000\u001b[31m\u0027\u005c\u0026\u202e\u0022)`,
      ),
    );
    assert.doesNotMatch(excerpt, /[<>&"'\p{Cc}\p{Cf}]/u);
    const kept = excerpt.replace(/\\u([0-9a-f]{4})/g, (_, hex) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    );
    assert.ok(Buffer.byteLength(kept) <= 1_024 + 3 && Buffer.byteLength(kept) >= 1_020);
    assert.ok(answer.startsWith(kept.replace(/\ufffd$/, '')));
  });

  it('stops reading an endless answer after 64 KiB', async () => {
    const sender = newSender();
    let written = () => 0;
    receiver.answer((response) => {
      written = pour(response);
    });
    const result = await sender.attempt(outgoing(receiver.url));
    assert.equal(result.verdict, 'delivered', 'by its status');
    assert.equal(result.responseExcerpt, 'x'.repeat(1_024));
    assert.ok(result.durationMs < LONG_DEADLINE_MS / 2, `${result.durationMs} ms`);
    assert.ok(written() < 50_000_000, `${written()} bytes were read`);
    await sender.close();
  });

  const breakerIs = (endpoint: Endpoint, wanted: string) =>
    eventually(endpoint.breaker, (breaker) => breaker === wanted, { pauseMs: 20 });

  it('waits for Retry-After after a failure with any status', async () => {
    for (const status of [301, 404, 500, 503]) {
      receiver.answer((response) => response.writeHead(status, { 'retry-after': '3600' }).end());
      const endpoint = await customer.subscribe(receiver.url);
      await customer.publish(1);
      const [delivery] = await endpoint.until(([only]) => only?.attemptCount === 1);
      const waitMs = Date.parse(delivery?.nextAttemptAt ?? '') - Date.now();
      assert.ok(waitMs > 3_500_000, `${status}: ${waitMs} ms`);
      await customer.api.delete(endpoint.path);
    }
  });

  it('opens the breaker on 429 and 503, and waits for Retry-After, in seconds or as a date', async () => {
    const dated = await startReceiver();
    let until = 0;
    receiver.answer((response, index) =>
      response.writeHead(index === 0 ? 503 : 204, { 'retry-after': '1' }).end(),
    );
    dated.answer((response, index) => {
      if (index === 0) until = Math.ceil(Date.now() / 1000) * 1000 + 1_000;
      response.writeHead(index === 0 ? 429 : 204, { 'retry-after': new Date(until).toUTCString() }).end();
    });
    const endpoints = [await customer.subscribe(receiver.url), await customer.subscribe(dated.url)];
    await customer.publish(1);
    await Promise.all(endpoints.map((endpoint) => breakerIs(endpoint, 'open')));
    await customer.publish(3);
    const [seconds, dates] = await Promise.all([receiver.until(4), dated.until(4)]);
    const waitedMs = (seconds[1]?.at ?? 0) - (seconds[0]?.at ?? 0);
    assert.ok(waitedMs >= 1_000, `${waitedMs} ms`);
    assert.ok((dates[1]?.at ?? 0) >= until);
    await dated.stop();
  });
});
