/** `npm start` and `npm run demo` as real processes on real data folders, stopped and killed in every way. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import { join } from 'node:path';
import { closingWords } from '../../dev/demo/run-demo.ts';
import type { LocalInstance } from '../../dev/local/local-instance.ts';
import { startEverything } from '../../dev/local/start-everything.ts';
import { readStartSettings } from '../../dev/local/start-settings.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FRIDGE,
  jobOf,
  register,
  untilEnded,
} from '../support/fleet.ts';
import { newDatabase } from '../support/servers.ts';
import {
  alive,
  descendantsOf,
  endAll,
  newDataDir,
  type Running,
  readLocal,
  run,
  type Stack,
  startStack,
  tryKill,
} from '../support/stack.ts';

/** Outcomes that the demo prints, in order. */
const STORY = [
  /online 6$/,
  /applied 6$/,
  /an alert is open: high_temp at (?:[89]|\d\d)[.\d]* °C$/,
  /delivered, attempts: 1 → 503, 2 → 503, 3 → 204$/,
  /got it 3 times, always with the same webhook-id; its signature is good\.$/,
  /the alert is resolved$/,
  /alert\.resolved has arrived at the receiver\.$/,
  /The job is running until .*; it waits for 282C[0-9A-F]{6}06\.$/,
];
/** Settings of an installation elsewhere. */
const ELSEWHERE = {
  DATABASE_REPLICA_URL: 'postgres://192.0.2.1/dms',
  TEMPORAL_CONFIG_FILE: '/there/is/none.toml',
  OPERATOR_URL: 'https://loggers.example.com',
  HOST: '192.0.2.1',
  PORT: '1',
};
const LINKS = 'Where to look';
const DEFAULT_PORT = 8080;

describe('npm start', () => {
  const [dataDir, lightDir, unusedDir] = [newDataDir(), newDataDir(), newDataDir()];
  const [ownTemporary, abandonedTemporary] = [newDataDir(), newDataDir()];
  const holder = createServer();
  let stack: Stack;
  /** Has its own service, which starts at the same time, and goes through the whole story. */
  let ownDemo: Running;
  let besideLocal: LocalInstance;
  let besideProcesses: ReturnType<typeof descendantsOf>;
  let jobId: string;

  before(async () => {
    for (const folder of [ownTemporary, abandonedTemporary]) mkdirSync(folder);
    await occupy(holder, DEFAULT_PORT);
    ownDemo = run('demo', { ...ELSEWHERE, DATA_DIR: `${ownTemporary}/nobody`, TMPDIR: ownTemporary });
    const isBesideUp = ownDemo.line(/^2\./).then(() => {
      besideLocal = readLocal(join(ownTemporary, leftIn(ownTemporary)[0] as string));
      besideProcesses = descendantsOf(ownDemo.pid);
    });
    [stack] = await Promise.all([startStack(dataDir), isBesideUp]);
  });
  after(async () => {
    holder.close();
    await endAll();
  });

  describe('once it is up', () => {
    it('prints all addresses and keys, and writes the same to local.json', () => {
      const { local } = stack;
      assert.deepEqual(Object.keys(local).sort(), [
        'apiKey',
        'baseUrl',
        'coapUrl',
        'databaseUrl',
        'deviceToken',
        'metricsUrl',
        'temporalAddress',
        'temporalUi',
      ]);
      const { baseUrl, temporalAddress, temporalUi, metricsUrl, apiKey, deviceToken } = local;
      for (const told of [
        baseUrl,
        `${baseUrl}/docs`,
        temporalAddress,
        temporalUi,
        metricsUrl,
        apiKey,
        deviceToken,
      ])
        assert.match(stack.output(), new RegExp(`^    .* ${told}$`, 'm'));
      assert.match(apiKey, /^dms_live_/);
      assert.match(deviceToken, /^dev_/);
    });

    it('makes everything in the data folder readable by its owner only', () => {
      const names = [
        'local.json',
        'local-keys.json',
        'secrets.key',
        'service.log',
        'temporal.log',
        'postgres.log',
      ];
      for (const name of [...names, 'postgres/password', temporalFile()])
        assert.equal(modeOf(join(dataDir, name)), 0o600, name);
      // Root's PostgreSQL runs as another user, who passes through the folder and sees nothing in it.
      assert.equal(modeOf(dataDir), process.getuid?.() === 0 ? 0o711 : 0o700);
      const open = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
        .filter((name) => !name.startsWith('postgres/programs-'))
        .filter((name) => existsSync(join(dataDir, name)) && (modeOf(join(dataDir, name)) & 0o077) !== 0);
      assert.deepEqual(open, []);
    });

    const modeOf = (path: string) => statSync(path).mode & 0o777;
    const temporalFile = () => readdirSync(dataDir).find((name) => /^temporal-.*\.db$/.test(name)) as string;

    it('answers at each address that it printed', async () => {
      const { baseUrl, temporalUi, metricsUrl } = stack.local;
      for (const url of [`${baseUrl}/docs`, `${baseUrl}/readyz`, temporalUi as string, metricsUrl])
        assert.equal((await fetch(url)).status, 200, url);
    });

    it('prints a command that works when it is pasted into a shell', function () {
      if (!existsSync('/usr/bin/curl')) return this.skip();
      const line = /^ +curl .*$/m.exec(stack.output())?.[0] as string;
      assert.deepEqual(JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).items, []);
    });

    it('runs beside another copy that was started at the same time, with its own ports, keys and data', async () => {
      await register(stack.organization, 'ONLY-HERE');
      const { organization, local } = stack;
      // By now the other copy has the devices of its demo.
      assert.deepEqual(await serialsOf(stack), ['ONLY-HERE']);
      for (const name of ['baseUrl', 'coapUrl', 'metricsUrl', 'temporalAddress', 'databaseUrl'] as const)
        assert.notEqual(local[name], besideLocal[name], name);
      assert.equal((await organization.with(besideLocal.apiKey).get('/assets')).status, 401);
    });

    it('prints the port that it uses when 8080 is taken', () => {
      const { port } = new URL(stack.local.baseUrl);
      assert.notEqual(Number(port), DEFAULT_PORT);
      assert.match(stack.output(), new RegExp(`^Port 8080 is taken, so the API listens on ${port};`, 'm'));
    });
  });

  // Runs while the demo waits for its devices.
  describe('when it cannot start', () => {
    it('refuses a taken PORT with the reason, before it creates anything', async () => {
      const { port } = new URL(stack.local.baseUrl);
      await assert.rejects(startHere({ DATA_DIR: unusedDir, PORT: port }), {
        message: `Port ${port} is taken: choose another one with PORT, or stop what listens there`,
      });
      assert.ok(!existsSync(unusedDir));
    });

    it('names all faults of the environment at once', () => {
      const wrong = {
        PORT: 'eighty',
        LOG_LEVEL: 'loud',
        TEMPORAL_ADDRESS: 'nowhere',
        DATABASE_URL: 'mysql://x',
        RATE_LIMIT_PER_SECOND: '-1',
        SECRETS_KEYS: 'short',
      };
      assert.throws(
        () => readStartSettings(wrong),
        ({ message }: Error) =>
          Object.keys(wrong).every((name) => new RegExp(`^  ${name} `, 'm').test(message)),
      );
    });

    it('refuses a data folder that another copy uses, without disturbing that copy', async () => {
      await assert.rejects(
        startHere({ DATA_DIR: dataDir }),
        /^Error: The service runs already at http:\S+, on the data in .*\. Stop it first, or start another one with/,
      );
      assert.equal((await stack.organization.api.get('/assets/ONLY-HERE')).status, 404);
      assert.equal((await stack.organization.api.get('/devices/ONLY-HERE/config')).status, 200);
      assert.deepEqual(readLocal(dataDir), stack.local);
    });
  });

  describe('npm run demo', () => {
    let stopped: Running;
    let webhook: { id: string; status: string };

    before(async () => {
      stopped = run('demo', { DATA_DIR: dataDir });
      const line = await stopped.line(/receiver listens at/);
      await stopped.end('SIGTERM');
      const { body } = await stack.organization.api.get('/webhooks');
      webhook = body.items.find(({ url }: { url: string }) => line.includes(url));
    });

    it('starts a service of its own, without settings of another one, and removes it with its files at the end', async () => {
      assert.ok(besideProcesses.length > 10, 'PostgreSQL, Temporal and their guards');
      await succeeds(ownDemo);
      assert.ok(!ownDemo.output().includes(LINKS), 'addresses of a service that has ended');
      assert.match(ownDemo.output(), /This service was the demo's own and ends now\./);
      assert.deepEqual([alive(besideProcesses), leftIn(ownTemporary)], [[], []]);
    });

    it('uses a running service, leaves it running, and disables its webhook when it is stopped while it creates it', () => {
      assert.equal(webhook.status, 'disabled');
      assert.match(stopped.output(), /the demo uses it and leaves it running/);
      assert.ok(stack.isRunning());
    });

    it('prints only commands that work, for a service that stays', async () => {
      const { api } = stack.organization;
      const [openedAsset] = (await api.get('/assets?q=Demo fridge')).body.items;
      const slug = await createProfile(stack.organization, { slug: 'of-demo', temperatureAlerts: [] });
      const applied = await apply(stack.organization, slug, { serialNumbers: [openedAsset.serialNumber] });
      const result = {
        ...{ jobId: applied, profileSlug: slug, webhookId: webhook.id },
        ...{ openedAsset, muteAsset: openedAsset },
      };
      const [, pasted = ''] = closingWords({ local: stack.local, isOurs: false }, false, result).split(LINKS);
      assert.ok(pasted.includes(`${stack.local.baseUrl}/operator\n`));
      const shell = pasted.slice(pasted.indexOf('  BASE='));
      const answers = execFileSync('bash', ['-c', shell], { encoding: 'utf8' }).trim().split('\n');
      assert.equal(answers.length, 6);
      for (const answer of answers) assert.equal(JSON.parse(answer).success, undefined, answer);
    });

    it('archives the devices of demos on request', async () => {
      const countDemoDevices = async () =>
        (await stack.organization.api.get('/assets?q=Demo%20fridge')).body.totalItems;
      const registered = await countDemoDevices();
      assert.ok(registered >= 7, String(registered));
      const clean = run('demo', { DATA_DIR: dataDir }, '--clean');
      assert.equal(await clean.exited, 0, clean.output());
      assert.match(clean.output(), new RegExp(`^Archived ${registered} devices`, 'm'));
      assert.equal(await countDemoDevices(), 0);
    });

    describe('beside another copy at the address of its last service', () => {
      const env = { DATA_DIR: `${abandonedTemporary}/nobody`, TMPDIR: abandonedTemporary };
      before(() => {
        mkdirSync(env.DATA_DIR);
        writeFileSync(
          join(env.DATA_DIR, 'local.json'),
          JSON.stringify({ ...stack.local, apiKey: 'another' }),
        );
      });

      it('finds no service to clean up', async () => {
        const clean = run('demo', env, '--clean');
        assert.equal(await clean.exited, 1);
        assert.match(clean.output(), /There is no service to clean up/);
      });

      for (const [signal, ended] of [
        ['SIGTERM', 'stopped'],
        ['SIGKILL', 'killed'],
      ] as const)
        it(`leaves no process and no file when it is ${ended} while it starts a service of its own`, async () => {
          const abandoned = run('demo', env);
          await abandoned.line(/starts one of its own/);
          const isPostgres = ({ command }: { command: string }) => command.includes('postgres');
          const started = await eventually(
            async () => descendantsOf(abandoned.pid),
            (found) => found.some(isPostgres),
          );
          await abandoned.end(signal);
          await eventually(
            async () => [...alive(started), ...leftIn(abandonedTemporary)],
            (left) => left.length === 0,
          );
        });
    });
  });

  describe('when it is stopped', () => {
    it('finishes requests under way on SIGTERM and leaves no process', () => stopUnderWay(stack, 'SIGTERM'));

    it('keeps its keys and all data for the next start', async () => {
      const { local: before, pid } = stack;
      stack = await startStack(dataDir);
      assert.deepEqual([stack.local.apiKey, stack.local.deviceToken], [before.apiKey, before.deviceToken]);
      assert.deepEqual(await serialsOf(stack), ['ONLY-HERE', `UNDER-${pid}`]);
    });
  });

  describe('when all but PostgreSQL is killed with -9 in the middle of a job', () => {
    let relatives: ReturnType<typeof descendantsOf>;
    before(async () => {
      for (const serial of ['FIRST', 'SECOND']) await register(stack.organization, serial);
      const slug = await createProfile(stack.organization, FRIDGE);
      jobId = await apply(stack.organization, slug, { serialNumbers: ['FIRST', 'SECOND'] });
      await applyAnswer(stack.organization, 'FIRST');
      relatives = descendantsOf(stack.pid);
      const isPostgres = ({ command }: { command: string }) =>
        /postgres/.test(command) && !/guard\.mjs/.test(command);
      for (const each of relatives) if (!isPostgres(each)) tryKill(each.pid);
      await stack.end('SIGKILL');
      stack = await startStack(dataDir, { byNpm: true });
    });

    it('names the server that is left running, and stops it first', async () => {
      assert.match(stack.output(), /^PostgreSQL: process \d+ was left running .* is stopped first$/m);
      await eventually(
        async () => alive(relatives),
        (left) => left.length === 0,
      );
    });

    it('finishes the job', async () => {
      const { status, counts } = await jobOf(stack.organization, jobId);
      assert.deepEqual([status, counts.waiting, counts.applied], ['running', 1, 1]);
      await applyAnswer(stack.organization, 'SECOND');
      assert.equal((await jobOf(stack.organization, jobId)).counts.applied, 2);
      const job = await untilEnded(stack.organization, jobId);
      assert.equal(job.status, 'succeeded');
    });
  });

  describe('when it is interrupted', () => {
    it('finishes requests under way on SIGINT to npm and leaves no process', () =>
      stopUnderWay(stack, 'SIGINT'));
  });

  describe('when its server ends', () => {
    it('ends with exit code 1 and the reason, and leaves no process', async () => {
      const light = await startStack(lightDir, { env: { DATABASE_URL: await newDatabase() } });
      const relatives = descendantsOf(light.pid);
      const temporal = relatives.find(({ command }) => /^\S+ server start-dev /.test(command));
      tryKill(temporal?.pid as number);
      assert.equal(await light.exited, 1);
      assert.match(light.output(), /^Temporal has ended unexpectedly, so the service stops; .* Start again/m);
      assert.deepEqual(alive(relatives), []);
    });
  });
});

/** Listens on the port unless it is taken. */
async function occupy(server: Server, port: number): Promise<void> {
  const failed = once(server, 'error').then(([error]) => assert.equal(error.code, 'EADDRINUSE'));
  await Promise.race([once(server.listen(port, '127.0.0.1'), 'listening'), failed]);
}

/**
 * The start of `npm start` in this process, which prints the reason of a refusal and ends with exit code 1.
 */
const startHere = (env: Record<string, string>) =>
  startEverything({
    start: readStartSettings(env),
    print: () => {},
    onStop: () => assert.fail('it has started something'),
    onServerExit: () => {},
  });

/** Folders of demos with their own service. */
const leftIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('dms-demo-'));

async function serialsOf({ organization }: Stack): Promise<string[]> {
  const { body } = await organization.api.get('/assets');
  return body.items.map(({ serialNumber }: { serialNumber: string }) => serialNumber);
}

async function succeeds(demo: Running): Promise<void> {
  assert.equal(await demo.exited, 0, demo.output());
  const lines = demo.output().split('\n');
  const seenAt = STORY.map((sentence) => lines.findIndex((line) => sentence.test(line)));
  assert.ok(!seenAt.includes(-1), `${STORY[seenAt.indexOf(-1)]} was not printed:\n${demo.output()}`);
  assert.deepEqual(
    seenAt.toSorted((a, b) => a - b),
    seenAt,
  );
}

async function stopUnderWay(stack: Stack, signal: 'SIGTERM' | 'SIGINT'): Promise<void> {
  const relatives = descendantsOf(stack.pid);
  assert.ok(relatives.length > 10, 'PostgreSQL, Temporal and their guards');
  const finish = await beginRegistering(stack, `UNDER-${stack.pid}`);
  const ended = stack.end(signal);
  await stack.line(/Stopping/);
  assert.equal((await finish()).statusCode, 201);
  const { code } = await ended;
  assert.equal(code, 0, stack.output());
  assert.deepEqual(alive(relatives), []);
}

/**
 * Sends the headers of a request to the server; the returned function sends the rest and reads the response.
 */
async function beginRegistering({ local }: Stack, serialNumber: string) {
  const body = JSON.stringify({ serialNumber });
  const begun = request(`${local.baseUrl}/assets`, {
    method: 'POST',
    agent: new Agent({ keepAlive: true }),
    headers: {
      authorization: `Bearer ${local.apiKey}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  });
  const answered = once(begun, 'response') as Promise<[IncomingMessage]>;
  begun.flushHeaders();
  await once(begun, 'continue');
  return async () => {
    begun.end(body);
    const [response] = await answered;
    response.resume();
    return response;
  };
}
