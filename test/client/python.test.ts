/** The Python client against the real service; skipped without Python 3.10. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createClient } from '../../client/src/index.ts';
import { startReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import {
  CONFLICT,
  CUT_OFF,
  CUT_OFF_REFUSAL,
  EMPTY_LIST,
  LATER,
  MOVED,
  NESTED_JSON,
  NESTED_REFUSAL,
  NO_HTTP,
  NO_JSON,
  REGISTERED,
  RUNNING,
  type ScriptedServer,
  startScriptedServer,
} from './scripted-server.ts';

const SCRIPT = fileURLToPath(new URL('./python_client.py', import.meta.url));
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 10)'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('The Python client', () => {
  const service = useService();
  const servers: Server[] = [];
  const scripted: ScriptedServer[] = [];

  after(() => {
    for (const server of servers) server.close();
    for (const server of scripted) server.stop();
  });

  async function listen(server: Server): Promise<string> {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function script(...answers: string[]): Promise<string> {
    const server = await startScriptedServer(answers);
    scripted.push(server);
    return server.url;
  }

  /** Loses the first answer, after the service has done its work. */
  function losingProxy(): Server {
    let calls = 0;
    return createServer((incoming, outgoing) => {
      const { method, url: path, headers } = incoming;
      const { hostname: host, port } = new URL(service.baseUrl);
      const forwarded = request({ host, port, method, path, headers }, (answer) => {
        if (++calls === 1) return answer.resume().once('end', () => outgoing.destroy());
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        return answer.pipe(outgoing);
      });
      incoming.pipe(forwarded);
    });
  }

  /** A webhook as sent by the service. */
  async function sentWebhook(apiKey: string) {
    const receiver = await startReceiver();
    const dms = createClient({ baseUrl: service.baseUrl, apiKey });
    const { id: webhookId } = await dms.createWebhook({ body: { url: receiver.url, secret: SECRET } });
    await dms.testWebhook({ webhookId });
    const [sent] = await receiver.until(1);
    await dms.deleteWebhook({ webhookId });
    await receiver.stop();
    return { headers: sent?.headers, body: sent?.body, secret: SECRET };
  }

  it('behaves like the TypeScript client', async function () {
    if (!hasPython()) return this.skip();
    const apiKey = (await service.issueKey(service.id, 'customer')).token;
    const elsewhere = createServer((_, answer) => answer.writeHead(302, { Location: service.baseUrl }).end());
    const given = {
      url: service.baseUrl,
      losingUrl: await listen(losingProxy()),
      losingGroupUrl: await listen(losingProxy()),
      losingDeletionUrl: await listen(losingProxy()),
      refusingDeletionUrl: await script(NESTED_REFUSAL, CUT_OFF_REFUSAL),
      redirectingUrl: await listen(elsewhere),
      brokenUrl: await script(CUT_OFF, NO_HTTP, NESTED_REFUSAL, EMPTY_LIST),
      cutOffUrl: await script(CUT_OFF),
      runningUrl: await script(...Array(20).fill(RUNNING), NESTED_REFUSAL, RUNNING, REGISTERED),
      endlessUrl: await script(RUNNING),
      laterUrl: await script(LATER, EMPTY_LIST),
      wrongUrls: [
        [await script(NO_JSON), 200],
        [await script(NESTED_JSON), 200],
        [await script(MOVED), 301],
        [await script(CUT_OFF_REFUSAL), 404],
        [await script(CONFLICT, EMPTY_LIST), 409],
      ],
      apiKey,
      deviceToken: (await service.issueKey(service.id, 'device')).token,
      webhook: await sentWebhook(apiKey),
    };
    const env = { ...process.env, GIVEN: JSON.stringify(given), PYTHONDONTWRITEBYTECODE: '1' };
    const { code, output } = await new Promise<{ code: number; output: string }>((resolve) =>
      execFile('python3', [SCRIPT], { env }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), output: `${stdout}${stderr}` }),
      ),
    );
    assert.equal(code, 0, output);
    assert.match(output, /^Ran 19 tests/m);
  });
});
