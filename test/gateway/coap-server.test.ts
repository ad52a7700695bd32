/** The CoAP server over a real socket, with datagrams in hex: the parts of RFC 7252 that loggers need. */
import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCoapClient, NoAnswer } from '../../dev/simulator/coap-client.ts';
import type { CoapAnswer } from '../../src/gateway/coap-message.ts';
import {
  type CoapCall,
  type CoapObservation,
  type CoapServer,
  type CoapServerOptions,
  createCoapServer,
} from '../../src/gateway/coap-server.ts';
import { MalformedMessage } from '../../src/gateway/wire-format.ts';
import { AppError } from '../../src/process/errors.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const HOST = '127.0.0.1';
const TOKEN_OPTION = 65_000;
/** How long a test waits before it concludes that there is no answer. */
const NO_ANSWER_MS = 60;
/** Turns of the event loop that read all datagrams, however late this process gets a processor. */
const TURNS_MIN = 10;

const POST = 0x02;
const [CON, NON] = [0, 1];

interface Raw {
  type?: number;
  code?: number;
  id?: number;
  token?: string;
  /** In hex; by default the options of the path. */
  options?: string;
  path?: string;
  payload?: string;
}

let nextId = 1;

function datagram(raw: Raw): Buffer {
  const { type = CON, code = POST, id = nextId++, token = 'a1b2', path = 'm', payload = '' } = raw;
  const options = raw.options ?? pathOptions(path);
  const head = Buffer.from([0x40 | (type << 4) | (token.length / 2), code, id >> 8, id & 0xff]);
  const marker = payload ? 'ff' : '';
  return Buffer.concat([head, Buffer.from(token + options + marker + payload, 'hex')]);
}

/** Uri-Path is 11; further segments have delta 0. */
const pathOptions = (path: string) =>
  path
    .split('/')
    .map(
      (each, index) =>
        (index === 0 ? 0xb0 : 0).toString(16).slice(0, 1) + each.length.toString(16) + hex(each),
    )
    .join('');
const hex = (text: string) => Buffer.from(text).toString('hex');

class Device {
  readonly received: Buffer[] = [];
  readonly socket: Socket;
  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('message', (bytes) => this.received.push(bytes));
  }
  send(bytes: Buffer): void {
    this.socket.send(bytes);
  }
  /** The next answer in hex; null when none arrives in time. */
  async answer(waitMs = PATIENCE_MS): Promise<string | null> {
    const end = performance.now() + waitMs;
    for (let turn = 0; this.received.length === 0; turn++) {
      if (turn >= TURNS_MIN && performance.now() >= end) break;
      await sleep(2);
    }
    return this.received.shift()?.toString('hex') ?? null;
  }
  async ask(raw: Raw, waitMs?: number): Promise<string | null> {
    this.send(datagram(raw));
    return this.answer(waitMs);
  }
}

describe('The CoAP server', () => {
  let server: CoapServer;
  let device: Device;
  let calls: CoapCall[];
  let observed: CoapObservation[];
  let logged: string[];
  let handle: (call: CoapCall) => Promise<CoapAnswer> | CoapAnswer;

  async function start(options: Partial<CoapServerOptions> = {}): Promise<void> {
    server = await createCoapServer({
      host: HOST,
      port: 0,
      tokenOption: TOKEN_OPTION,
      routes: {
        m: {
          methods: ['POST'],
          handle: (call) => {
            calls.push(call);
            return handle(call);
          },
        },
        t: {
          methods: ['GET', 'POST'],
          handle: () => ({ code: '2.05', payload: Buffer.from('6955b900', 'hex') }),
        },
      },
      observe: (observation) => observed.push(observation),
      log: (message) => logged.push(message),
      ...options,
    });
    const socket = createSocket('udp4');
    socket.connect(server.port, HOST);
    await once(socket, 'connect');
    device = new Device(socket);
  }

  async function restart(options: Partial<CoapServerOptions>): Promise<void> {
    await stop();
    await start(options);
  }

  async function stop(): Promise<void> {
    device.socket.close();
    await server.stop(100);
  }

  beforeEach(async () => {
    calls = [];
    observed = [];
    logged = [];
    handle = () => ({ code: '2.01', payload: Buffer.from('980101', 'hex') });
    await start();
  });
  afterEach(stop);

  it('acknowledges a confirmable request once, with its message id, its token and the payload of the answer', async () => {
    assert.equal(
      await device.ask({ id: 0x1234, token: 'a1b2c3', payload: '0a01' }),
      '63411234a1b2c3ff980101',
    );
    assert.equal(await device.answer(NO_ANSWER_MS), null);
    assert.equal(calls[0]?.payload.toString('hex'), '0a01');
    assert.deepEqual(observed, [{ path: 'm', confirmable: true, code: '2.01' }]);
  });

  it('acknowledges without payload and token when there are none', async () => {
    handle = () => ({ code: '2.01' });
    assert.equal(await device.ask({ id: 0x1234, token: '' }), '60411234');
  });

  it('handles a non-confirmable request and never answers it, whatever the result', async () => {
    for (const refused of [() => ({ code: '2.01' }), () => Promise.reject(new MalformedMessage('bad'))]) {
      handle = refused;
      assert.equal(await device.ask({ type: NON }, NO_ANSWER_MS), null);
    }
    assert.equal(await device.ask({ type: NON, path: 'nowhere' }, NO_ANSWER_MS), null);
    assert.equal(await device.ask({ type: NON, code: 1 }, NO_ANSWER_MS), null);
    assert.equal(calls.length, 2);
    assert.deepEqual(
      observed.map(({ code }) => code),
      ['2.01', '4.00', '4.04', '4.05'],
    );
  });

  it('passes path, method, sender and the value of the token option to the handler', async () => {
    // Option 65000 after Uri-Path: delta 64989, that is 14 with 64720; 4 bytes.
    await device.ask({ options: `b16de4fcd0${hex('dev_')}`, payload: '00' });
    const { address, port } = device.socket.address();
    assert.deepEqual(
      { ...calls[0], payload: null },
      {
        path: 'm',
        method: 'POST',
        payload: null,
        tokenOption: 'dev_',
        confirmable: true,
        address,
        port,
      },
    );
    await device.ask({});
    assert.equal(calls[1]?.tokenOption, null);
  });

  it('serves every path under efento/, too', async () => {
    assert.equal((await device.ask({ path: 'efento/m' }))?.slice(0, 4), '6241');
    assert.equal((await device.ask({ path: 'efento/efento/m' }))?.slice(0, 4), '6284');
    assert.equal(calls[0]?.path, 'm');
  });

  it('answers a repeated request with the same bytes and handles it once', async () => {
    const bytes = datagram({ payload: '01' });
    let count = 0;
    handle = () => ({ code: '2.01', payload: Buffer.from([++count]) });
    const answers: Array<string | null> = [];
    for (let time = 0; time < 3; time++) {
      device.send(bytes);
      answers.push(await device.answer());
    }
    assert.equal(new Set(answers).size, 1);
    assert.notEqual(answers[0], null);
    assert.equal(calls.length, 1);
  });

  it('answers once when a request is repeated while the first is in flight', async () => {
    let finish = (_: CoapAnswer) => {};
    handle = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    const bytes = datagram({});
    device.send(bytes);
    device.send(bytes);
    assert.equal(await device.answer(NO_ANSWER_MS), null);
    finish({ code: '2.01' });
    assert.equal((await device.answer())?.slice(0, 4), '6241');
    assert.equal(await device.answer(NO_ANSWER_MS), null);
    assert.equal(calls.length, 1);
  });

  it('handles a repeated non-confirmable request once', async () => {
    const bytes = datagram({ type: NON });
    device.send(bytes);
    device.send(bytes);
    assert.equal(await device.answer(NO_ANSWER_MS), null);
    assert.equal(calls.length, 1);
  });

  it('treats a message id from another port, or after the lifetime of its exchange, as a new request', async () => {
    await restart({ exchangeLifetimeMs: 30 });
    const bytes = datagram({});
    const other = createSocket('udp4');
    other.send(bytes, server.port, HOST);
    device.send(bytes);
    await device.answer();
    await sleep(60);
    device.send(bytes);
    await device.answer();
    assert.equal(calls.length, 3);
    other.close();
  });

  it('treats another datagram with a known message id as a new request, and repeats the answer of each', async () => {
    let count = 0;
    handle = () => ({ code: '2.01', payload: Buffer.from([++count]) });
    const datagrams = ['01', '02'].map((payload) => datagram({ id: 0x1234, payload }));
    const answers: Array<string | null> = [];
    for (const bytes of [...datagrams, ...datagrams]) {
      device.send(bytes);
      answers.push(await device.answer());
    }
    const expected = ['62411234a1b2ff01', '62411234a1b2ff02'];
    assert.deepEqual(answers, [...expected, ...expected]);
    assert.equal(calls.length, 2);
  });

  it('handles another datagram with a message id that is in flight, and answers both', async () => {
    handle = async ({ payload }) => {
      await sleep(NO_ANSWER_MS);
      return { code: '2.01', payload };
    };
    for (const payload of ['01', '02']) device.send(datagram({ id: 0x1234, payload }));
    const answers = [await device.answer(), await device.answer()];
    assert.deepEqual(answers.sort(), ['62411234a1b2ff01', '62411234a1b2ff02']);
  });

  describe('with an answer of 250 bytes', () => {
    const LARGE = Buffer.alloc(250, 1);
    /** 6 bytes. */
    const short = { id: 0x1234, token: '' };

    beforeEach(() => {
      handle = () => ({ code: '2.05', payload: LARGE });
    });

    it('sends an unproven address 4.01 instead, when it is over three times what the address sent', async () => {
      for (let time = 0; time < 3; time++) assert.equal(await device.ask(short), '60811234');
      assert.equal(calls.length, 1);
      assert.deepEqual(
        observed.map(({ code }) => code),
        ['4.01', 'duplicate', 'duplicate'],
      );
      const sent = { id: 0x1235, token: '', payload: '00'.repeat(80) };
      assert.equal((await device.ask(sent))?.length, 2 * (LARGE.length + 5));
    });

    it('sends the answer to a proven address', async () => {
      handle = () => ({ code: '2.05', payload: LARGE, isAddressProven: true });
      for (let time = 0; time < 2; time++)
        assert.equal((await device.ask(short))?.length, 2 * (LARGE.length + 5));
    });

    it('sends no answer to a proven address for other bytes with the same message id', async () => {
      handle = ({ payload }) => ({ code: '2.05', payload: LARGE, isAddressProven: payload.length > 0 });
      assert.equal((await device.ask({ ...short, payload: '01' }))?.length, 2 * (LARGE.length + 5));
      assert.equal(await device.ask(short), '60811234');
      device.send(Buffer.from('400012340000', 'hex'));
      assert.equal((await device.answer())?.length, 8);
    });
  });

  it('evicts the oldest exchanges first when the cache is full', async () => {
    await restart({ exchangeBytesMax: 16 * 80 }); // room for 16 exchanges
    const all = Array.from({ length: 17 }, (_, id) => datagram({ id }));
    for (const bytes of [...all, all[16] as Buffer, all[0] as Buffer]) {
      device.send(bytes);
      await device.answer();
    }
    assert.equal(calls.length, 18);
  });

  it('answers a ping with a reset', async () => {
    device.send(Buffer.from('40001234', 'hex'));
    assert.equal(await device.answer(), '70001234');
  });

  it('answers an unknown path with 4.04 and an unsupported method with 4.05', async () => {
    for (const path of ['x', '', 'm/m', 'M', 'efento', 'toString']) {
      assert.equal((await device.ask({ path }))?.slice(2, 4), '84', path);
    }
    for (const code of [1, 3, 4, 5, 31]) assert.equal((await device.ask({ code }))?.slice(2, 4), '85');
    assert.equal((await device.ask({ path: 't', code: 3 }))?.slice(2, 4), '85');
    assert.deepEqual(calls, []);
  });

  it('answers block options and unknown critical options with 4.02, and ignores elective ones', async () => {
    const critical = {
      Block1: 'b16dd10300',
      Block2: 'b16dc100',
      'If-None-Match, before the path': '50616d',
      2049: 'b16de006e9',
      9999: 'b16de025f7',
    };
    for (const [name, options] of Object.entries(critical)) {
      assert.equal((await device.ask({ options }))?.slice(2, 4), '82', name);
    }
    for (const [name, options] of Object.entries({ 'Content-Format': 'b16d1100', 9998: 'b16de025f6' })) {
      assert.equal((await device.ask({ options }))?.slice(2, 4), '41', name);
    }
  });

  it('answers a malformed message with 4.00, overload with 5.03 and a defect with 5.00, and logs defects only', async () => {
    handle = () => {
      throw new MalformedMessage('bad');
    };
    assert.equal((await device.ask({}))?.slice(2, 4), '80');
    handle = () => Promise.reject(new AppError('unavailable', 'Too many messages wait at present'));
    assert.equal((await device.ask({}))?.slice(2, 4), 'a3');
    assert.deepEqual(logged, []);
    handle = () => {
      throw new TypeError('a defect');
    };
    assert.equal((await device.ask({}))?.slice(2, 4), 'a0');
    assert.deepEqual(logged, ['CoAP handler of m failed']);
  });

  it('tells messages above the limit of their sender from overload, and answers both with 5.03', async () => {
    for (const kind of ['rate_limited', 'unavailable'] as const) {
      handle = () => Promise.reject(new AppError(kind, 'Too many messages'));
      assert.equal((await device.ask({}))?.slice(2, 4), 'a3');
    }
    assert.deepEqual(
      observed.map(({ code }) => code),
      ['over limit', '5.03'],
    );
  });

  it('answers unreadable confirmable datagrams with a reset and does not answer other unreadable ones', async () => {
    const unreadable = [
      '40ff1234',
      '49021234',
      '4f021234',
      '44021234a1',
      '40021234ff',
      '40021234b5',
      '40021234f1',
      '4000123401',
    ];
    for (const bytes of unreadable) {
      device.send(Buffer.from(bytes, 'hex'));
      assert.equal(await device.answer(), '70001234', bytes);
    }
    // Non-confirmable, acknowledgement, reset, another version, too short, no bytes, an empty message, a
    // response.
    for (const bytes of [
      '50021234ff',
      '60411234',
      '70001234',
      '80021234',
      '4002',
      '',
      '50000001',
      '5045123401',
    ]) {
      device.send(Buffer.from(bytes, 'hex'));
      assert.equal(await device.answer(NO_ANSWER_MS), null, bytes);
    }
    assert.equal((await device.ask({}))?.slice(0, 4), '6241');
  });

  it('answers a datagram above the size limit with 4.13', async () => {
    assert.equal(await device.ask({ id: 0x1234, payload: '00'.repeat(1500) }), '628d1234a1b2');
    assert.equal(await device.ask({ type: NON, payload: '00'.repeat(1500) }, NO_ANSWER_MS), null);
    assert.deepEqual(calls, []);
  });

  it('answers 5.03 above the limit of requests in flight, and accepts the same request later', async () => {
    await restart({ inFlightMax: 1 });
    let finish = (_: CoapAnswer) => {};
    handle = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    device.send(datagram({}));
    const second = datagram({});
    device.send(second);
    assert.equal((await device.answer())?.slice(2, 4), 'a3');
    assert.equal(await device.ask({ type: NON }, NO_ANSWER_MS), null);
    finish({ code: '2.01' });
    assert.equal((await device.answer())?.slice(2, 4), '41');
    device.send(second);
    while (calls.length === 1) await sleep(2);
    finish({ code: '2.01' });
    assert.equal((await device.answer())?.slice(2, 4), '41');
    assert.equal(calls.length, 2);
  });

  it('answers the requests in flight before it stops, and reads no more', async () => {
    handle = async () => {
      await sleep(50);
      return { code: '2.01' };
    };
    device.send(datagram({}));
    while (calls.length === 0) await sleep(2);
    const stopped = server.stop(PATIENCE_MS);
    device.send(datagram({}));
    await stopped;
    assert.equal((await device.answer())?.slice(0, 4), '6241');
    assert.equal(calls.length, 1);
  });

  it('stops at its deadline even if a request never ends', async () => {
    handle = () => new Promise(() => {});
    device.send(datagram({}));
    while (calls.length === 0) await sleep(2);
    await server.stop(30);
  });

  it('keeps answering among hundreds of garbage datagrams', async () => {
    for (let round = 0; round < 500; round++) {
      device.send(
        Buffer.from(Array.from({ length: round % 60 }, (_, index) => (round * 31 + index * 97) % 256)),
      );
      // A request after every fifty leaves room for all of them in the buffer of the socket.
      if (round % 50 === 49) assert.equal(await answerAmongResets(), '6241');
    }
    assert.deepEqual(logged, []);
  });

  async function answerAmongResets(): Promise<string | undefined> {
    device.send(datagram({}));
    let answer: string | undefined;
    do answer = (await device.answer())?.slice(0, 4);
    while (answer === '7000');
    return answer;
  }

  it('fails to start on a port that is in use', async () => {
    await assert.rejects(createCoapServer({ host: HOST, port: server.port, routes: {} }), /EADDRINUSE/);
  });

  describe('with the CoAP client', () => {
    it('answers many requests at a time, each to its own request', async () => {
      handle = ({ payload }) => ({ code: '2.01', payload });
      const client = await createCoapClient({ host: HOST, port: server.port });
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          client.send({ path: 'm', payload: Buffer.from([index, 1]), confirmable: true }),
        ),
      );
      answers.forEach((answer, index) => {
        assert.deepEqual([answer?.code, answer?.payload[0]], ['2.01', index]);
      });
      assert.equal(await client.send({ path: 'm', payload: Buffer.from([1]), confirmable: false }), null);
      const tokenOption = { number: TOKEN_OPTION, value: 'dev_x' };
      await client.send({ path: 'efento/m', confirmable: true, tokenOption });
      assert.equal(calls.at(-1)?.tokenOption, 'dev_x');
      assert.equal((await client.send({ path: 't', method: 'GET', confirmable: true }))?.code, '2.05');
      await client.close();
    });

    it('lets the client repeat an unacknowledged request with the same message id, and give up in the end', async () => {
      const unresponsive = createSocket('udp4');
      unresponsive.bind(0, HOST);
      await once(unresponsive, 'listening');
      const seen: string[] = [];
      unresponsive.on('message', (bytes) => seen.push(bytes.toString('hex')));
      const client = await createCoapClient({
        host: HOST,
        port: unresponsive.address().port,
        ackTimeoutMs: 4,
      });
      await assert.rejects(client.send({ path: 'm', confirmable: true }), NoAnswer);
      assert.equal(seen.length, 5);
      assert.equal(new Set(seen).size, 1);
      const pending = client.send({ path: 'm', confirmable: true });
      await Promise.all([assert.rejects(pending, NoAnswer), client.close()]);
      unresponsive.close();
    });
  });
});
