/** Everything on this machine, as in production: durable Postgres, Temporal, and API and worker as their own processes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureDatabase } from '../../dev/embedded/ensure-database.ts';
import { freePort } from '../../dev/embedded/free-port.ts';
import { startPostgres } from '../../dev/embedded/postgres.ts';
import { findTemporalCli } from '../../dev/embedded/temporal-cli.ts';
import { startTemporalDevServer } from '../../dev/embedded/temporal-dev-server.ts';
import { createCoapClient } from '../../dev/simulator/coap-client.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { query } from '../../src/db/query.ts';
import { createKeysRepository } from '../../src/keys/keys.repository.ts';
import { createKeyIssuer } from '../../src/keys/keys.service.ts';
import { createOrganizationsRepository } from '../../src/keys/organizations.repository.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/workflow-ids.ts';
import { type DiskWatch, watchDisk } from './disk.ts';

export interface Fleet {
  organizationId: string;
  apiKey: string;
  deviceToken: string;
}

export interface FleetOptions {
  /** SQL for the serial of device `g`. */
  serialOf?: string;
}

export interface BenchStack {
  sql: Database;
  databaseUrl: string;
  temporalAddress: string;
  apiUrl: string;
  /** Another program of ours under the same environment; resolves when its port answers. */
  runServer(file: string, port: number): Promise<ChildProcess>;
  /** An organization of its own with that many devices, `DEV-1` and so on. */
  addFleet(devices: number, options?: FleetOptions): Promise<Fleet>;
  /** The CoAP gateway; resolves when it answers. */
  runGateway(port: number): Promise<ChildProcess>;
  worker: ChildProcess;
  /** Times flushes to the disk that the database is on. */
  watchDisk(): Promise<DiskWatch>;
  /** Peak resident memory of the API process since its start, MB. */
  apiPeakMb(): number;
  /** What the servers beside our own processes hold now, each page counted once, MB. */
  serversMb(): { postgres: number; temporal: number };
  stop(): Promise<void>;
}

export const POOL_SIZE = 20;
/** As in docker-compose.yml: what lives for one transaction should not get among what lives long. */
const NODE_FLAGS: Record<string, string[]> = {
  'dist/src/bin/api.js': ['--max-semi-space-size=32'],
  'dist/src/bin/gateway.js': ['--max-semi-space-size=32'],
};

export async function startStack(settings: Record<string, string> = {}): Promise<BenchStack> {
  const folder = mkdtempSync(join(tmpdir(), 'dms-bench-'));
  chmodSync(folder, 0o755);
  const stops: Array<() => unknown> = [() => rmSync(folder, { recursive: true, force: true })];
  const print = (line: string) => void process.stderr.write(`${line}\n`);
  const cacheDir = join(homedir(), '.cache', 'device-monitoring-service');
  const cli = await findTemporalCli({ env: process.env, cacheDir, print });
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), log: () => {} });
  stops.push(postgres.stop);
  const temporal = await startTemporalDevServer({
    cli,
    dbFile: join(folder, 'temporal.db'),
    searchAttributes: SEARCH_ATTRIBUTES,
    log: () => {},
  });
  stops.push(temporal.stop);
  const databaseUrl = await ensureDatabase(postgres.url, 'bench');
  const sql = openDatabase({
    url: databaseUrl,
    poolSize: 4,
    statementTimeoutMs: 0,
    applicationName: 'bench',
  });
  await migrate(sql);
  stops.push(() => sql.destroy());

  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    SECRETS_KEYS: `1:${Buffer.alloc(32, 1).toString('base64')}`,
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
    ...settings,
  };
  build(print);
  const run = (file: string, more: object = {}) => {
    const args = file.startsWith('dist/') ? [...(NODE_FLAGS[file] ?? []), file] : ['--import=tsx', file];
    const child = spawn(process.execPath, args, { env: { ...env, ...more }, stdio: 'inherit' });
    stops.push(() => end(child));
    // A bench that fails on its way leaves nothing running that would be in the next one's figures.
    process.once('exit', () => child.kill('SIGKILL'));
    return child;
  };
  async function answering(file: string, url: string, more: object): Promise<ChildProcess> {
    const child = run(file, more);
    for (;;) {
      if (hasEnded(child)) throw new Error(`${file} ended with ${child.exitCode ?? child.signalCode}`);
      const answers = await fetch(url).then(
        () => true,
        () => false,
      );
      if (answers) return child;
      await delay(50);
    }
  }
  const runServer = (file: string, port: number) =>
    answering(file, `http://127.0.0.1:${port}/livez`, { PORT: String(port) });
  async function runGateway(coapPort: number): Promise<ChildProcess> {
    const child = run('dist/src/bin/gateway.js');
    const client = await createCoapClient({ host: '127.0.0.1', port: coapPort, ackTimeoutMs: 500 });
    await client.send({ path: 't', method: 'GET', confirmable: true });
    await client.close();
    return child;
  }
  const port = await freePort();
  const api = await runServer('dist/src/bin/api.js', port);
  const metricsPort = await freePort();
  const worker = await answering('dist/src/bin/worker.js', `http://127.0.0.1:${metricsPort}/metrics`, {
    METRICS_PORT: String(metricsPort),
  });

  return {
    sql,
    databaseUrl,
    temporalAddress: temporal.address,
    apiUrl: `http://127.0.0.1:${port}`,
    runServer,
    addFleet: (devices, options) => addFleet(sql, devices, options),
    runGateway,
    worker,
    watchDisk: () => watchDisk(folder),
    apiPeakMb: () => peakMb(api.pid as number),
    serversMb: () => ({ postgres: descendantsMb('postgres'), temporal: descendantsMb('temporal') }),
    async stop() {
      for (const stop of stops.reverse()) await stop();
    },
  };
}

/** What is measured is what would be deployed. */
function build(print: (line: string) => void): void {
  print('Building');
  const { status } = spawnSync('npm', ['run', '-s', 'build'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The build failed');
}

let fleets = 0;

async function addFleet(
  sql: Database,
  devices: number,
  { serialOf = "'DEV-' || g" }: FleetOptions = {},
): Promise<Fleet> {
  const { id } = await createOrganizationsRepository(sql).ensure(`fleet ${++fleets}`);
  await query(
    sql,
    `insert into assets (organization_id, serial_number, name, model)
     select ?, ${serialOf}, 'Device ' || g, 'TVO-T' from generate_series(1, ?::integer) g`,
    [id, devices],
  );
  for (const table of ['device_configs', 'device_states']) {
    await query(
      sql,
      `insert into ${table} (asset_id, organization_id) select id, organization_id from assets where organization_id = ?`,
      [id],
    );
  }
  await sql.raw('vacuum analyze assets, device_configs, device_states');
  const issuer = createKeyIssuer(createKeysRepository(sql), Date.now);
  const key = async (kind: 'customer' | 'device') =>
    (await issuer.issue({ organizationId: id, kind, expiresAt: null })).token;
  return { organizationId: id, apiKey: await key('customer'), deviceToken: await key('device') };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (hasEnded(child)) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/** Peak resident memory since the start. */
export function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Memory of all processes below this one whose program begins so: its own pages, and its share of shared ones. */
function descendantsMb(program: string): number {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [, name = '', parent] = /\((.*)\) \S (\d+)/.exec(readIfThere(`/proc/${pid}/stat`)) ?? [];
      return parent === undefined ? [] : [{ pid, name, parent }];
    });
  const below = new Set([String(process.pid)]);
  for (let size = 0; size < below.size; ) {
    size = below.size;
    for (const { pid, parent } of processes) if (below.has(parent)) below.add(pid);
  }
  const kilobytes = processes
    .filter(({ pid, name }) => below.has(pid) && name.startsWith(program))
    .map(({ pid }) => Number(/^Pss:\s+(\d+)/m.exec(readIfThere(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0));
  return Math.round(kilobytes.reduce((sum, each) => sum + each, 0) / 1024);
}

/** Processes come and go while they are listed. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Processor time since the start, user and system. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

const TICKS_PER_SECOND = 100;
