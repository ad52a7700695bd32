/** The webhook receiver of `npm run receiver`: it verifies signatures and fails the first requests on demand. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { eventLine, startWebhookReceiver } from '../../../dev/receiver/webhook-receiver.ts';
import { ROOT } from '../../../dev/source/imports.ts';
import { sign } from '../../../src/endpoints/endpoint-secret.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const BODY = JSON.stringify({
  type: 'alert.created',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: { serialNumber: '282C00000001', type: 'high_temp' },
});

const post = (url: string, secret: string | null, { ageSeconds = 0 } = {}) => {
  const timestampSeconds = Math.floor(Date.now() / 1000) - ageSeconds;
  const signed = { id: 'msg_1', timestampSeconds, body: BODY };
  return fetch(url, {
    method: 'POST',
    body: BODY,
    headers: {
      'webhook-id': signed.id,
      'webhook-timestamp': String(timestampSeconds),
      ...(secret && { 'webhook-signature': sign(signed, ['another secret of ours', secret]) }),
    },
  });
};

const children: ChildProcess[] = [];

describe('The webhook receiver', () => {
  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  it('fails the first requests, then accepts those with valid signatures', async () => {
    const lines: string[] = [];
    const receiver = await startWebhookReceiver({
      port: 0,
      secret: SECRET,
      failFirst: 2,
      onRequest: (event) => lines.push(eventLine(event)),
    });
    try {
      const statuses: number[] = [];
      for (let index = 0; index < 3; index++) statuses.push((await post(receiver.url, SECRET)).status);
      assert.deepEqual(statuses, [503, 503, 204]);
      assert.equal((await post(receiver.url, 'a wrong secret indeed')).status, 401);
      assert.equal((await post(receiver.url, null)).status, 401);
      assert.equal((await post(receiver.url, SECRET, { ageSeconds: 3_600 })).status, 401);
      assert.deepEqual(
        receiver.received.map(({ signature }) => signature.replace(/(: webhook-\w+).*/, '$1')),
        [
          'good',
          'good',
          'good',
          'not good: webhook-signature',
          'not good: webhook-signature',
          'not good: webhook-timestamp',
        ],
      );
      assert.match(
        lines[0] as string,
        /alert\.created {2}282C00000001 high_temp {2}answered 503, signature good$/,
      );
      assert.equal((await fetch(receiver.url)).status, 405);
    } finally {
      await receiver.stop();
    }
  });

  it('prints one line for a request, without characters that steer the terminal', async () => {
    const lines: string[] = [];
    const receiver = await startWebhookReceiver({
      port: 0,
      secret: null,
      failFirst: 0,
      onRequest: (event) => lines.push(eventLine(event)),
    });
    const body = JSON.stringify({ type: '\u001b]52;c;x\u0007', data: { serialNumber: '\u009b2J\n' } });
    await fetch(receiver.url, { method: 'POST', body });
    await receiver.stop();
    assert.match(lines[0] as string, /^[^\p{Cc}]* \]52;c;x +2J +answered 204, signature not checked$/u);
  });

  it('names --port when that is taken', async () => {
    const receiver = await startWebhookReceiver({ port: 0, secret: null, failFirst: 0 });
    const { port } = new URL(receiver.url);
    const child = runReceiver(port);
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    await receiver.stop();
    assert.deepEqual(
      [code, said],
      [1, `Port ${port} is taken: choose another one with --port, or stop what listens there\n`],
    );
  });

  it('ends quietly when its output has no reader any more', async () => {
    const child = runReceiver('0');
    const ended = Promise.all([text(child.stderr), once(child, 'exit')]);
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    child.stdout.destroy();
    await post(/http:\S+events/.exec(line)?.[0] as string, null).catch(() => 'it ends without an answer');
    const [said, [code]] = await ended;
    assert.deepEqual([code, said], [0, '']);
  });
});

function runReceiver(port: string) {
  const args = ['--import=#typescript', 'dev/bin/receiver.ts', '--port', port];
  const child = spawn(process.execPath, args, { cwd: ROOT });
  children.push(child);
  return child;
}
