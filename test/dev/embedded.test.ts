/** The embedded servers as real processes: the guard, PostgreSQL, the Temporal CLI and its dev server. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import pg from 'pg';
import { ensureDatabase } from '../../dev/embedded/ensure-database.ts';
import { findProgram } from '../../dev/embedded/find-program.ts';
import { freePort, isFree } from '../../dev/embedded/free-port.ts';
import { type RunningPostgres, startPostgres } from '../../dev/embedded/postgres.ts';
import { isAlive, parentOf, pidIn } from '../../dev/embedded/process-status.ts';
import { supervise } from '../../dev/embedded/supervise.ts';
import { buildTemporalCli, findTemporalCli } from '../../dev/embedded/temporal-cli.ts';
import { archiveSums, pinned } from '../../dev/embedded/temporal-cli-version.ts';
import { startTemporalDevServer } from '../../dev/embedded/temporal-dev-server.ts';
import { eventually } from '../support/fleet.ts';

const scratch = mkdtempSync(join(tmpdir(), 'embedded-'));
const fast = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '16MB' };
const quiet = () => {};
const processes: ChildProcess[] = [];
const running: { stop(): Promise<unknown> }[] = [];

/** A failed test must not leave a server behind, which would keep mocha alive. */
async function kept<T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  running.push(server);
  return server;
}

before(() => chmodSync(scratch, 0o755)); // root's PostgreSQL runs as another user
after(async () => {
  for (const process of processes) process.kill('SIGKILL');
  await Promise.all(running.map((server) => server.stop()));
  rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
});

describe('A supervised server', () => {
  it('ends when the group of its parent is killed with -9', async () => {
    const { parent, line } = await startParent(`
      import { supervise } from ${moduleUrl('supervise.ts')};
      supervise({ ...${JSON.stringify(sayPidAndStay)}, log: (line) => console.log(line) });
    `);
    const server = Number(await line());
    assert.ok(isAlive(server));
    process.kill(-(parent.pid ?? 0), 'SIGKILL');
    await until(() => !isAlive(server));
  });

  it('kills a server that ignores its stop signal', async () => {
    const { lines, server } = superviseNode(
      "process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1e3)",
    );
    await until(() => lines.length > 0);
    await server.stop();
    assert.deepEqual(await server.exited, { code: null, signal: 'SIGKILL' });
  });

  it('does not receive a Ctrl-C that is meant for its parent', async () => {
    const { lines, server } = superviseNode("console.log('up'); setInterval(() => console.log('up'), 50)");
    await until(() => lines.length > 0);
    process.kill(server.pid ?? 0, 'SIGINT');
    process.kill(server.pid ?? 0, 'SIGTERM');
    await sleep(100);
    const seen = lines.length;
    await until(() => lines.length > seen);
    await server.stop();
    assert.deepEqual(await server.exited, { code: null, signal: 'SIGTERM' });
  });

  it('reports to its parent how it ended and its last lines', async () => {
    const { server } = superviseNode("console.log('one'); console.error('two'); process.exitCode = 7");
    assert.deepEqual(await server.exited, { code: 7, signal: null });
    assert.deepEqual(server.lastLines().sort(), ['one', 'two']);
  });

  it('reports a missing program', async () => {
    const server = supervise({ command: '/no/such/program', args: [], env: {}, log: quiet });
    assert.deepEqual(await server.exited, { code: 127, signal: null });
    assert.match(server.lastLines().join(), /no\/such\/program could not be run/);
  });
});

describe('The embedded PostgreSQL', () => {
  const dataDir = join(scratch, 'postgres');
  const start = (settings = {}) =>
    kept(startPostgres({ dataDir, log: quiet, settings: { ...fast, ...settings } }));
  const half = join(scratch, 'half');
  let recovered: Promise<RunningPostgres>;
  /** Waits for the holder of the folder for seconds, so it begins before the other tests. */
  let refused: Promise<unknown>;

  before(() => {
    recovered = recover();
    refused = recovered.then(() => startPostgres({ dataDir: half, log: quiet })).catch((error) => error);
  });

  it('requires a password, and keeps its data over a restart', async () => {
    const first = await start();
    const url = await ensureDatabase(first.url, 'kept');
    assert.equal(await ensureDatabase(first.url, 'kept'), url);
    await query(url, 'create table notes (note text)');
    await query(url, "insert into notes values ('stopped')");
    await assert.rejects(
      query(url.replace(/:[^:@]+@/, ':guess@'), 'select'),
      /password authentication failed/,
    );
    assert.equal(statSync(join(dataDir, 'password')).mode & 0o777, 0o600);
    await first.stop();

    const second = await start();
    assert.deepEqual(await notes(second.url), ['stopped']);
    await second.stop();
  });

  it('starts at once after its parent was killed with -9', async () => {
    const { parent, line } = await startParent(postgresParent('parent killed'));
    await line();
    parent.kill('SIGKILL');
    const next = await start();
    assert.deepEqual(await notes(next.url), ['stopped', 'parent killed']);
    await next.stop();
  });

  it('recovers committed data after kill -9 of everything', async () => {
    const { parent, line } = await startParent(postgresParent('all killed'));
    await line();
    const server = postmaster();
    for (const pid of [parentOf(server) ?? 0, server, parent.pid ?? 0]) process.kill(pid, 'SIGKILL');
    const next = await start();
    assert.deepEqual(await notes(next.url), ['stopped', 'parent killed', 'all killed']);
    await next.stop();
  });

  it('stops a server of its own that was left running when its guard was killed, and reports that', async () => {
    const { parent, line } = await startParent(postgresParent('guard killed'));
    await line();
    const left = postmaster();
    await orphan(left);
    parent.kill('SIGKILL');
    const said: string[] = [];
    const next = await kept(
      startPostgres({ dataDir, log: quiet, settings: fast, print: (text) => said.push(text) }),
    );
    assert.match(said.join(), new RegExp(`^PostgreSQL: process ${left} was left running .* stopped first$`));
    assert.ok(!isAlive(left));
    assert.equal((await notes(next.url)).at(-1), 'guard killed');
    await next.stop();
  });

  it('recovers from an initdb that was killed', () => recovered);

  async function recover(): Promise<RunningPostgres> {
    const { parent } = await startParent(`
      import { startPostgres } from ${moduleUrl('postgres.ts')};
      await startPostgres({ dataDir: ${JSON.stringify(half)}, log() {} });
    `);
    const begun = () => existsSync(join(half, `init-${parent.pid}`, 'PG_VERSION'));
    await until(begun);
    parent.kill('SIGKILL');
    assert.ok(!existsSync(join(half, 'cluster')));
    const server = await kept(startPostgres({ dataDir: half, log: quiet, settings: fast }));
    await query(server.url, 'select');
    assert.ok(!begun());
    return server;
  }

  it('names the process that uses its folder, and does not disturb it', async () => {
    const server = await recovered;
    const holder = pidIn(join(half, 'cluster', 'postmaster.pid'));
    assert.match(
      String(await refused),
      new RegExp(`Another PostgreSQL, process ${holder}, is running on .*cluster`),
    );
    await query(server.url, 'select');
    await server.stop();
    assert.deepEqual(readdirSync(half).sort(), ['cluster', 'password']);
  });

  it('reports why it cannot start', async () => {
    await assert.rejects(
      start({ shared_buffers: 'lots' }),
      /PostgreSQL ended while it started.*\n.*shared_buffers/s,
    );
    const taken = createServer().listen(0, '127.0.0.1').unref();
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await assert.rejects(
      startPostgres({ dataDir, port, log: quiet }),
      new RegExp(`port ${port}: it is in use`),
    );
    taken.close();
    rmSync(join(dataDir, 'password'));
    await assert.rejects(start(), /its password was in .* which is gone/);
  });

  it('reports that root must choose a folder that others can reach', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const closed = mkdtempSync(join(scratch, 'closed-'));
    await assert.rejects(
      startPostgres({ dataDir: join(closed, 'data'), log: quiet }),
      /cannot reach .*closed-/,
    );
  });

  const postmaster = () => pidIn(join(dataDir, 'cluster', 'postmaster.pid')) ?? 0;

  /** A process that commits one row with the default, durable settings and keeps running. */
  const postgresParent = (note: string) => `
    import pg from 'pg';
    import { ensureDatabase } from ${moduleUrl('ensure-database.ts')};
    import { startPostgres } from ${moduleUrl('postgres.ts')};
    const { url } = await startPostgres({ dataDir: ${JSON.stringify(dataDir)}, log() {} });
    const client = new pg.Client({ connectionString: await ensureDatabase(url, 'kept') });
    client.on('error', () => {}); // PostgreSQL may be killed before us
    await client.connect();
    await client.query('insert into notes values ($1)', [${JSON.stringify(note)}]);
    console.log('written');
  `;

  async function notes(url: string): Promise<string[]> {
    const { rows } = await query(await ensureDatabase(url, 'kept'), 'select note from notes');
    return rows.map(({ note }) => note);
  }
});

describe('The search for a Temporal CLI', () => {
  const offline = 'http://127.0.0.1:9';
  const system = '/usr/bin:/bin';

  it('prefers TEMPORAL_CLI_PATH to everything else', async () => {
    const place = layOut({ path: '9.0.0', cache: pinned.cli });
    const named = fakeCli(join(place.root, 'named'), '1.0.0');
    assert.equal(await find(place, { TEMPORAL_CLI_PATH: named }), named);
    assert.match(place.said.join(), /older than/);
  });

  it('fails when TEMPORAL_CLI_PATH does not run', async () => {
    const place = layOut({ path: '9.0.0' });
    await assert.rejects(find(place, { TEMPORAL_CLI_PATH: '/no/such' }), /TEMPORAL_CLI_PATH is \/no\/such/);
  });

  it('uses the CLI on the PATH if it is new enough', async () => {
    for (const version of [pinned.cli, '1.10.0', '2.0.0', '0.0.0-DEV']) {
      const place = layOut({ path: version, cache: pinned.cli });
      assert.equal(await find(place), join(place.root, 'path', 'temporal'), version);
    }
  });

  it('uses the CLI in the cache if the one on the PATH is too old', async () => {
    for (const version of ['1.9.0', '0.13.2']) {
      const place = layOut({ path: version, cache: pinned.cli });
      assert.equal(await find(place), cached(place), version);
      assert.match(place.said.join(), /older than/);
    }
  });

  it('downloads a CLI if there is none, and caches it', async () => {
    const place = layOut({});
    const mirror = await startMirror(place);
    assert.equal(await find(place, {}, mirror), cached(place));
    const archive = `temporal_cli_${pinned.cli}_(linux|darwin)_(amd64|arm64).tar.gz`;
    assert.match(mirror.asked.join(), new RegExp(`^/v${pinned.cli}/${archive}$`));
    mirror.close();
    assert.equal(await find(place), cached(place));
    assert.deepEqual(readdirSync(join(place.root, 'cache')), [`temporal-${pinned.cli}`]);
  });

  it('runs nothing of a download with another checksum than the pinned one', async () => {
    for (const sums of [{}, undefined, Object.fromEntries(platforms.map((each) => [each, 'f'.repeat(64)]))]) {
      const place = layOut({});
      const ran = join(place.root, 'ran');
      const mirror = await startMirror(place, `touch ${ran}`);
      await assert.rejects(find(place, {}, { ...mirror, sums }), /sha256 is [0-9a-f]{64} and not the pinned/);
      mirror.close();
      assert.deepEqual([existsSync(ran), readdirSync(join(place.root, 'cache'))], [false, []]);
    }
  });

  it('knows a checksum for each platform with a download', () => {
    assert.deepEqual(Object.keys(archiveSums).sort(), platforms);
    for (const sum of Object.values(archiveSums)) assert.match(sum, /^[0-9a-f]{64}$/);
  });

  it('builds nothing from a module with another checksum than the pinned one', async function () {
    const go = await findProgram('go', process.env);
    if (!go) return this.skip();
    const moduleFolder = mkdtempSync(join(scratch, 'modules-'));
    const pinnedModules = new URL('../../tools/temporal/', import.meta.url);
    for (const name of ['go.mod', 'tools.go']) {
      const file = new URL(name, pinnedModules);
      if (existsSync(file)) writeFileSync(join(moduleFolder, name), readFileSync(file));
    }
    const sums = readFileSync(new URL('go.sum', pinnedModules), 'utf8');
    const wrong = sums.replace(/^(github.com\/temporalio\/cli \S+ h1:).+$/m, `$1${'A'.repeat(43)}=`);
    assert.notEqual(wrong, sums);
    writeFileSync(join(moduleFolder, 'go.sum'), wrong);
    const env = { ...process.env, GOFLAGS: '-mod=mod', GONOSUMDB: '*', GONOSUMCHECK: '1', GOPROXY: 'off' };
    const building = buildTemporalCli(join(moduleFolder, 'temporal'), { env, print: quiet, moduleFolder });
    const { message } = await building.then(
      () => assert.fail('it was built'),
      (error: Error) => error,
    );
    if (message.includes('GOPROXY=off')) return this.skip(); // this machine has never built one
    assert.match(message, /does NOT match an earlier download recorded in go\.sum/);
  });

  it('builds a CLI with Go when the download fails', async () => {
    const place = layOut({ go: true });
    assert.equal(await find(place), cached(place));
    assert.match(place.said.join('\n'), /download failed: .*\n.*building/);
  });

  it('lists all remedies when there is no CLI', async () => {
    const place = layOut({});
    await assert.rejects(find(place), ({ message }: Error) => {
      for (const way of [
        'TEMPORAL_ADDRESS',
        'TEMPORAL_CLI_PATH',
        'PATH',
        cached(place),
        'github.com',
        'Go',
      ]) {
        assert.ok(message.includes(way), `${way} in ${message}`);
      }
      return true;
    });
  });

  it('requires the version that tools/temporal builds', () => {
    const goMod = readFileSync(new URL('../../tools/temporal/go.mod', import.meta.url), 'utf8');
    assert.match(goMod, new RegExp(`github.com/temporalio/cli v${pinned.cli}\n`));
    assert.match(goMod, new RegExp(`go.temporal.io/server v${pinned.server}\\s`));
  });

  interface Place {
    root: string;
    said: string[];
  }

  function layOut({ path, cache, go }: { path?: string; cache?: string; go?: boolean }): Place {
    const root = mkdtempSync(join(scratch, 'cli-'));
    const place = { root, said: [] };
    if (path) fakeCli(join(root, 'path', 'temporal'), path);
    if (cache) fakeCli(cached(place), cache);
    if (go) fakeGo(join(root, 'path', 'go'), fakeCli(join(root, 'built'), pinned.cli));
    return place;
  }

  const cached = ({ root }: Place) => join(root, 'cache', `temporal-${pinned.cli}`);

  const platforms = ['darwin_amd64', 'darwin_arm64', 'linux_amd64', 'linux_arm64'];

  /** The address of a CLI, and its checksum. */
  interface Source {
    downloadFrom: string;
    sums?: Record<string, string>;
  }

  const find = ({ root, said }: Place, env: Record<string, string> = {}, source?: Source) =>
    findTemporalCli({
      env: {
        PATH: [join(root, 'path'), ...(source ? [system] : [])].join(delimiter),
        ...env,
      },
      cacheDir: join(root, 'cache'),
      print: (line) => said.push(line),
      downloadFrom: source?.downloadFrom ?? offline,
      sums: source?.sums,
    });

  /** Serves an archive with a CLI that may also do something else. */
  async function startMirror({ root }: Place, alsoDoes = 'true') {
    const folder = join(root, 'download');
    program(join(folder, 'temporal'), `${alsoDoes}\n${versionScript(pinned.cli)}`);
    execFileSync('tar', ['-czf', join(folder, 'it.tar.gz'), '-C', folder, 'temporal']);
    const archive = readFileSync(join(folder, 'it.tar.gz'));
    const asked: string[] = [];
    const mirror = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end(archive);
    })
      .listen(0, '127.0.0.1')
      .unref();
    await once(mirror, 'listening');
    const sum = createHash('sha256').update(archive).digest('hex');
    return {
      asked,
      downloadFrom: `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`,
      sums: Object.fromEntries(platforms.map((platform) => [platform, sum])),
      close: () => mirror.close(),
    };
  }
});

describe('The Temporal dev server', () => {
  it('reports its last lines when it ends during the start', async () => {
    const cli = program(join(scratch, 'dying'), `${versionScript('1.9.1')}; echo "no such luck" >&2; exit 3`);
    await assert.rejects(
      startTemporalDevServer({ cli, searchAttributes: {}, log: quiet }),
      /Temporal dev server ended while it started \(exit code 3\).*\n.*no such luck/s,
    );
  });

  it('takes the wanted port for its UI, and another one while that is in use', async () => {
    const cli = program(join(scratch, 'flags'), `${versionScript('1.9.1')}; echo "$*" >&2; exit 3`);
    // Below those that systems give to whoever asks for any, so that no other process takes it between two starts.
    const port = 28_233;
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    const said = new RegExp(`--ui-port ${port} `);
    const start = () => startTemporalDevServer({ cli, uiPort: port, searchAttributes: {}, log: quiet });
    await assert.rejects(
      start,
      (error: Error) => /--ui-port \d/.test(error.message) && !said.test(error.message),
    );
    other.close();
    await once(other, 'close');
    await assert.rejects(start, said);
  });

  it('keeps its workflows over kill -9 of its guard, and adds new search attributes', async function () {
    const cli =
      process.env.TEMPORAL_CLI_PATH ??
      join(homedir(), '.cache/device-monitoring-service', `temporal-${pinned.cli}`);
    if (!existsSync(cli)) return this.skip();
    const dbFile = join(scratch, 'temporal.db');
    writeFileSync(join(scratch, `temporal-${pinned.server}.db`), 'a file that was never finished');
    const { parent, line } = await startParent(`
      import { startTemporalDevServer } from ${moduleUrl('temporal-dev-server.ts')};
      const wanted = { cli: ${JSON.stringify(cli)}, dbFile: ${JSON.stringify(dbFile)} };
      const server = await startTemporalDevServer({ ...wanted, searchAttributes: { JobId: 'Keyword' }, log() {} });
      console.log(server.address);
    `);
    await startWorkflow(await line(), 'before', 'JobId');
    const left = pidIn(join(scratch, `temporal-${pinned.server}.db.pid`)) ?? 0;
    // The parent stays alive: without a reader of its output the server might end by itself.
    await orphan(left);

    const searchAttributes = { JobId: 'Keyword', EndpointId: 'Keyword' } as const;
    const said: string[] = [];
    const print = (text: string) => said.push(text);
    const server = await kept(startTemporalDevServer({ cli, dbFile, searchAttributes, log: quiet, print }));
    assert.match(said.join(), new RegExp(`^Temporal: process ${left} was left running`));
    parent.kill('SIGKILL');
    await startWorkflow(server.address, 'after', 'EndpointId');
    for (const id of ['before', 'after']) assert.equal(await typeOf(server.address, id), 'any');
    await server.stop();
  });

  const startWorkflow = (address: string, workflowId: string, attribute: string) =>
    withClient(address, (client) =>
      client.workflow.start('any', {
        workflowId,
        taskQueue: 'none',
        typedSearchAttributes: [{ key: defineSearchAttributeKey(attribute, 'KEYWORD'), value: 'x' }],
      }),
    );

  const typeOf = (address: string, workflowId: string) =>
    withClient(address, async (client) => (await client.workflow.getHandle(workflowId).describe()).type);

  async function withClient<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
    const connection = await Connection.connect({ address });
    try {
      return await use(new Client({ connection }));
    } finally {
      await connection.close();
    }
  }
});

describe('A free port', () => {
  it('stays free until a server listens on it', async () => {
    const port = await freePort();
    assert.ok(await isFree(port));
    const server = createServer().listen(port, '127.0.0.1').unref();
    await once(server, 'listening');
    assert.ok(!(await isFree(port)));
    server.close();
  });
});

function superviseNode(code: string) {
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const server = supervise({ command: process.execPath, args: ['-e', code], env: {}, graceMs: 300, log });
  running.push(server);
  return { lines, server };
}

const moduleUrl = (file: string) =>
  JSON.stringify(new URL(`../../dev/embedded/${file}`, import.meta.url).href);

const sayPidAndStay = {
  command: process.execPath,
  args: ['-e', 'console.log(process.pid); setInterval(() => {}, 1e3)'],
  env: {},
};

/** Runs the module as a process that may be killed, and reads its lines. */
async function startParent(module: string) {
  const args = ['--import=#typescript', '--input-type=module', '-e', module];
  const parent = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  processes.push(parent);
  const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
  return { parent, line: async () => (await lines.next()).value as string };
}

/** Kills the guard of the server. */
async function orphan(server: number): Promise<void> {
  const guard = parentOf(server) ?? 0;
  process.kill(guard, 'SIGKILL');
  await until(() => parentOf(server) !== guard);
}

async function query(connectionString: string, sql: string) {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

const until = (holds: () => boolean) => eventually(async () => holds(), Boolean, { pauseMs: 10 });

function program(path: string, script: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

const versionScript = (version: string) =>
  `[ "$1" != --version ] || { echo "temporal version ${version} (Server ${pinned.server}, UI 2.0.0)"; exit; }`;

const fakeCli = (path: string, version: string) => program(path, versionScript(version));

/** "Builds" by copying, with shell builtins only, because its PATH is otherwise empty. */
const fakeGo = (path: string, built: string) =>
  program(path, `while [ "$1" != -o ]; do shift; done; /bin/cp ${built} "$2"`);
