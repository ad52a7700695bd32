/** Commands that receive and send webhooks. A command that listens until it is ended runs as a process. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '../../client/src/index.ts';
import { withInput } from '../support/command-line.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FRIDGE,
  register,
  sendTemperature,
} from '../support/fleet.ts';
import { argumentsFor, processBundle } from '../support/process-bundle.ts';
import { startReceiver } from '../support/receiver.ts';
import { useCommands } from './harness.ts';

const ROOT = new URL('../../', import.meta.url);
const CLI = argumentsFor(await processBundle(), 'src/bin/cli.ts');
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('Commands for webhooks', () => {
  const { dms, setEnv, registerOne, run, jsonOf } = useCommands();
  const children: ChildProcess[] = [];

  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  /** The command as a separate process, with its output so far. */
  function start(...typed: string[]) {
    const child = spawn(process.execPath, [...CLI, ...typed], { cwd: ROOT, env: process.env });
    children.push(child);
    const printed = { text: '' };
    child.stdout.on('data', (text) => (printed.text += text));
    child.stderr.on('data', (text) => (printed.text += text));
    const until = (pattern: RegExp) =>
      eventually(
        async () => printed.text,
        (text) => pattern.test(text),
      );
    return { child, until, printed, exited: once(child, 'exit') };
  }

  it('lists how each webhook does: its state, since when, and the deliveries that wait', async () => {
    const own = await dms.addOrganization();
    setEnv({ DMS_URL: dms.baseUrl, DMS_KEY: (await dms.issueKey(own.id, 'customer')).token });
    const receiver = await startReceiver();
    receiver.answer((response) => response.writeHead(500).end());
    await own.api.post('/cellular-webhooks', { url: receiver.url });
    await register(own, 'LISTED');
    await sendTemperature(own, 'LISTED', 4);
    const [{ id, url, health }] = await eventually(
      () => jsonOf('webhooks', 'list'),
      ([listed]) => listed.health.state === 'failing' && listed.health.backlog === 1,
    );
    const [head = '', row = ''] = (await run('webhooks', 'list')).stdout.split('\n');
    await receiver.stop();
    const columns = (line: string) => line.trim().split(/ {2,}/);
    assert.deepEqual(columns(head), ['ID', 'KIND', 'STATE', 'SINCE', 'WAITING', 'LAST DELIVERED AT', 'URL']);
    assert.deepEqual(columns(row), [id, 'cellular-webhook', 'failing', health.since, '1', '–', url]);
  });

  it('listens: prints and forwards verified events, and leaves no webhook behind', async () => {
    const forwarded: Array<{ headers: IncomingMessage['headers']; body: string }> = [];
    const receiver = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      forwarded.push({ headers: request.headers, body });
      response.writeHead(204).end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const to = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const listening = start('listen', '--events', 'config.applied,data.measurement', '--forward-to', to);
    await listening.until(/Listening at/);
    assert.equal((await jsonOf('webhooks', 'list')).length, 2);
    const slug = await createProfile(dms, { ...FRIDGE, slug: `fridge-${randomUUID()}` });
    const serial = await registerOne();
    await apply(dms, slug, { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    await listening.until(/config\.applied .* → 204/);
    await sendTemperature(dms, serial, 4);
    await listening.until(/data\.measurement .* → 204/);
    assert.ok(forwarded.every(({ headers }) => headers['webhook-signature']));
    assert.deepEqual(
      forwarded.map(({ body }) => JSON.parse(body).type),
      ['config.applied', 'data.measurement'],
    );
    listening.child.kill('SIGINT');
    assert.deepEqual((await listening.exited)[0], 0);
    receiver.close();
    assert.deepEqual(await jsonOf('webhooks', 'list'), []);
  });

  it('ends quietly, and leaves no webhook behind, when the reader of its output has gone', async () => {
    const endsQuietly = async (...typed: string[]) => {
      const { child, exited, printed } = start(...typed);
      child.stdout.destroy();
      assert.deepEqual([(await exited)[0], printed.text], [0, ''], typed.join(' '));
    };
    await Promise.all([endsQuietly('audit'), endsQuietly('audit', '--json'), endsQuietly('listen')]);
    assert.deepEqual(await jsonOf('webhooks', 'list'), []);
  });

  it('ends listening with the refusal of the service, and leaves nothing behind', async () => {
    const { code, stderr } = await run('listen', '--events', 'alert.made.up');
    assert.notEqual(code, 0);
    assert.match(stderr, /^events\[0\] must be one of/);
    assert.doesNotMatch(stderr, /--address/);
    assert.deepEqual(await jsonOf('webhooks', 'list'), []);
  });

  it('refuses to listen on an invalid port, or to forward to an invalid address', async () => {
    for (const [typed, says] of [
      [['--forward-to', 'ftp://127.0.0.1/'], /^--forward-to must be a URL that begins with http/],
      [['--forward-to', 'here'], /^--forward-to must be a URL that begins with http/],
      [['--port', '65536'], /^--port must be a number from 0 to 65535/],
      [['--port', 'x'], /^--port must be a number from 0 to 65535/],
    ] as const) {
      const { code, stderr } = await run('listen', ...typed);
      assert.equal(code, 2);
      assert.match(stderr, says);
    }
  });

  it('names the option of a taken port when listening', async () => {
    const taken = new URL(dms.baseUrl).port;
    const { code, stderr } = await run('listen', '--port', taken);
    assert.deepEqual([code, stderr], [1, `Port ${taken} is taken: choose another one with --port\n`]);
  });

  it('registers the public address of a listener if it is a different one', async () => {
    const address = 'https://tunnel.example/hooks';
    const listening = start('listen', '--events', 'alert.created', '--address', address);
    await listening.until(/Listening at https:\/\/tunnel\.example\/hooks;/);
    const registered = async () => (await dms.api.get('/webhooks')).body.items;
    assert.deepEqual(
      (await registered()).map(({ url, events }: { url: string; events: string[] }) => [url, events]),
      [[address, ['alert.created']]],
    );
    listening.child.kill('SIGTERM');
    assert.deepEqual((await listening.exited)[0], 0);
    assert.deepEqual(await registered(), []);
  });

  it('triggers the example of each event at a receiver, with a valid signature, and without a service', async () => {
    setEnv({});
    const received: unknown[] = [];
    const receiver = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      received.push(await verifyWebhook({ headers: request.headers, body }, SECRET));
      response.writeHead(204).end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const to = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const signed = () => run('trigger', 'alert.created', '--to', to, '--secret');
    assert.equal((await withInput(`${SECRET}\n`, signed)).code, 0);
    assert.equal((received[0] as { type: string }).type, 'alert.created');
    receiver.close();
    const away = await run('trigger', 'alert.created', '--to', to);
    assert.equal(away.code, 1);
    assert.match(away.stderr, /^The receiver cannot be reached: connect ECONNREFUSED/);
    const { code, stderr } = await run('trigger', 'alert.made.up', '--to', to);
    assert.equal(code, 2);
    assert.match(stderr, /EVENT must be one of:[\s\S]*config\.applied/);
  });
});
