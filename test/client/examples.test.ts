/** The examples as they are, in their languages, against the real service. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Client, createClient } from '../../client/src/index.ts';
import { useService } from '../support/service.ts';

const CLIENT = fileURLToPath(new URL('../../client/', import.meta.url));
const NODE: [string, ...string[]] = [process.execPath, '--import=#typescript'];
const PYTHON: [string, ...string[]] = ['python3'];
/**
 * The first time, Go compiles its standard packages, unless it has built Temporal's CLI here with the same
 * options.
 */
const RECEIVER_MS = 300_000;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const FRIDGE = {
  slug: 'vaccine-fridge',
  temperatureAlerts: [{ type: 'range' as const, channel: 'probe' as const, lowC: 2, highC: 8 }],
};
const FACTORY = { measurementPeriodBase: 60, measurementPeriodFactor: 1, transmissionInterval: 3_600 };
const SERIALS = ['282C02424EED', '282C02424EEE'];

interface Program {
  child: ChildProcess;
  lines: Interface;
}

describe('The examples of the clients', () => {
  const service = useService();
  let folder: string;
  const running: ChildProcess[] = [];

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'dms-examples-'));
  });
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
  });
  after(() => rmSync(folder, { recursive: true }));

  function start(command: string[], environment: Record<string, string>): Program {
    const [program, ...parameters] = command as [string, ...string[]];
    const env = { ...process.env, PYTHONPATH: join(CLIENT, 'python'), ...environment };
    const child = spawn(program, parameters, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    running.push(child);
    return { child, lines: createInterface({ input: child.stdout }) };
  }

  async function organization(): Promise<{ key: string; dms: Client; devices: Client }> {
    const { id } = await service.addOrganization();
    const { token: key } = await service.issueKey(id, 'customer');
    const { token } = await service.issueKey(id, 'device');
    const to = (apiKey: string) => createClient({ baseUrl: service.baseUrl, apiKey });
    return { key, dms: to(key), devices: to(token) };
  }

  async function confirm(devices: Client, serial: string): Promise<void> {
    const pending = await devices.fetchPendingConfig({ serial });
    await devices.reportConfig({ serial, body: { ...FACTORY, ...pending?.config } as never });
  }

  const FLEET = [
    ['TypeScript', NODE, 'examples/import-devices.ts', 'examples/apply-and-wait.ts'],
    ['Python', PYTHON, 'python/examples/import_devices.py', 'python/examples/apply_and_wait.py'],
  ] as const;
  for (const [language, runtime, importing, applying] of FLEET) {
    it(`imports devices, applies a profile and waits for it, in ${language}`, async function () {
      if (!isThere(runtime[0])) return skip(this, runtime[0]);
      const { key, dms, devices } = await organization();
      const access = { DMS_URL: service.baseUrl, DMS_KEY: key };
      for (const expected of ['2 registered, 0 already there', '0 registered, 2 already there']) {
        const [line] = await once(start([...runtime, join(CLIENT, importing)], access).lines, 'line');
        assert.equal(line, expected);
      }
      await dms.createProfile({ body: FRIDGE });
      for (const serial of SERIALS) await devices.reportConfig({ serial, body: FACTORY });
      const { child, lines } = start([...runtime, join(CLIENT, applying)], access);
      const ended = once(child, 'exit');
      const [first] = await once(lines, 'line');
      assert.equal(first, '0 of 2 devices');
      const rest: string[] = [];
      lines.on('line', (line) => rest.push(line));
      for (const serial of SERIALS) await confirm(devices, serial);
      assert.deepEqual(await ended, [0, null]);
      assert.deepEqual(rest.slice(-2), ['2 of 2 devices', 'succeeded']);
      for (const serial of SERIALS) assert.equal(await devices.fetchPendingConfig({ serial }), null);
    });
  }

  const RECEIVERS = {
    TypeScript: () => [...NODE, example('server.ts')],
    Python: () => [...PYTHON, example('server.py')],
    Go: async () => [await built(folder)],
  };
  const NEEDED = { TypeScript: process.execPath, Python: 'python3', Go: 'go' };
  for (const [language, command] of Object.entries(RECEIVERS)) {
    it(`verifies webhooks of the service and refuses others, in ${language}`, async function () {
      const program = NEEDED[language as keyof typeof NEEDED];
      if (!isThere(program)) return skip(this, program);
      const { dms } = await organization();
      const { lines } = start(await command(), { PORT: '0', WEBHOOK_SECRET: SECRET });
      const [listening] = await once(lines, 'line');
      const url = `http://127.0.0.1:${/\d+$/.exec(listening)}/`;
      const printed = once(lines, 'line');
      const { id } = await dms.createWebhook({ body: { url, secret: SECRET } });
      assert.equal((await dms.testWebhook({ webhookId: id })).statusCode, 204);
      assert.match((await printed).join(), /^webhook\.test /);
      const headers = {
        'webhook-id': 'forged',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
      };
      assert.equal((await fetch(url, { method: 'POST', body: '{}', headers })).status, 401);
    }).timeout(RECEIVER_MS);

    it(`refuses what is signed with an empty secret where it has been given none, in ${language}`, async function () {
      const program = NEEDED[language as keyof typeof NEEDED];
      if (!isThere(program)) return skip(this, program);
      for (const secret of ['', 'whsec_']) {
        const { lines } = start(await command(), { PORT: '0', WEBHOOK_SECRET: secret });
        const [listening] = await once(lines, 'line');
        const seconds = String(Math.floor(Date.now() / 1_000));
        const mac = createHmac('sha256', '').update(`forged.${seconds}.{}`).digest('base64');
        const headers = {
          'webhook-id': 'forged',
          'webhook-timestamp': seconds,
          'webhook-signature': `v1,${mac}`,
        };
        const url = `http://127.0.0.1:${/\d+$/.exec(listening)}/`;
        assert.equal((await fetch(url, { method: 'POST', body: '{}', headers })).status, 401);
      }
    }).timeout(RECEIVER_MS);
  }
});

const example = (name: string) => join(CLIENT, 'examples/verify-webhook', name);

const isThere = (program: string) => spawnSync(program, ['version']).error === undefined;

function skip(test: Mocha.Context, program: string): void {
  process.stdout.write(`    ${program} is not on the path: the example is not tried\n`);
  test.skip();
}

async function built(folder: string): Promise<string> {
  const program = join(folder, 'server');
  await promisify(execFile)('go', ['build', '-trimpath', '-o', program, example('server.go')], {
    // The options of dev/embedded/go-build.ts: each set of options has its own standard packages in Go's
    // cache.
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' },
  });
  return program;
}
