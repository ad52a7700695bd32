/**
 * The whole system on this machine, as in production: durable PostgreSQL, Temporal, and API and worker as
 * separate processes.
 */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDatabase } from '../../dev/embedded/ensure-database.ts';
import { freePort } from '../../dev/embedded/free-port.ts';
import { startPostgres } from '../../dev/embedded/postgres.ts';
import type { OnStop } from '../../dev/embedded/run-and-stop.ts';
import { findTemporalCli } from '../../dev/embedded/temporal-cli.ts';
import { startTemporalDevServer } from '../../dev/embedded/temporal-dev-server.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/workflow-ids.ts';
import { createChildProcesses } from './child-processes.ts';
import { type DiskWatch, disturbDisk, watchDisk } from './disk.ts';
import { addFleet, type Fleet, type FleetOptions } from './fleet.ts';
import { descendantsMb, peakMb, residentMb } from './process-usage.ts';
import { LOADS_STATEMENT_TIMES, recordStatements } from './statement-times.ts';

export interface BenchStack {
  sql: Database;
  databaseUrl: string;
  temporalAddress: string;
  apiUrl: string;
  /** Runs another program with the same environment; resolves when its port answers. */
  runServer(file: string, port: number): Promise<ChildProcess>;
  /** Adds an organization with that many devices. */
  addFleet(devices: number, options?: FleetOptions): Promise<Fleet>;
  /** Runs the CoAP gateway; resolves when it answers. */
  runGateway(port: number): Promise<ChildProcess>;
  api: ChildProcess;
  worker: ChildProcess;
  /** Times flushes to the disk of the database. */
  watchDisk(): Promise<DiskWatch>;
  /** Resolves at the end of heavy work that leaves many dirty pages, while a checkpoint is under way. */
  disturbDisk(): Promise<void>;
  /** Peak resident memory of the API process since its start, MB. */
  apiPeakMb(): number;
  /** Its resident memory now, MB. */
  apiMemoryMb(): number;
  /** Memory of the servers now, each page counted once, MB. */
  serversMb(): { postgres: number; temporal: number };
}

export const POOL_SIZE = 20;

/** In a new folder, which is removed at the end, or in a given one, which is kept. */
export async function startStack(
  onStop: OnStop,
  settings: Record<string, string> = {},
  keptFolder: string | null = null,
): Promise<BenchStack> {
  const folder = keptFolder ?? mkdtempSync(join(tmpdir(), 'dms-bench-'));
  if (keptFolder === null) onStop(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const servers = await startServers(folder);
  onStop(servers.stop);
  const { sql, databaseUrl, temporalAddress } = servers;
  build();
  const processes = createChildProcesses({
    ...process.env,
    DATABASE_URL: databaseUrl,
    LAME_DUCK_SECONDS: '0',
    TEMPORAL_ADDRESS: temporalAddress,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    SECRETS_KEYS: `1:${Buffer.alloc(32, 1).toString('base64')}`,
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
    ...settings,
  });
  onStop(processes.stop);
  const runServer = (file: string, port: number) =>
    processes.startUntilAnswering(file, `http://127.0.0.1:${port}/livez`, { PORT: String(port) });
  const port = await freePort();
  const api = await runServer('dist/src/bin/api.js', port);
  const METRICS_PORT = String(await freePort());
  const metricsUrl = `http://127.0.0.1:${METRICS_PORT}/metrics`;
  const worker = await processes.startUntilAnswering('dist/src/bin/worker.js', metricsUrl, { METRICS_PORT });

  return {
    sql,
    databaseUrl,
    temporalAddress,
    apiUrl: `http://127.0.0.1:${port}`,
    runServer,
    addFleet: (devices, options) => addFleet(sql, devices, options),
    runGateway: (coapPort) => processes.startGateway('dist/src/bin/gateway.js', coapPort),
    api,
    worker,
    watchDisk: () => watchDisk(folder),
    disturbDisk: () => disturbDisk(sql, folder),
    apiPeakMb: () => peakMb(api.pid as number),
    apiMemoryMb: () => residentMb(api.pid as number),
    serversMb: () => ({ postgres: descendantsMb('postgres'), temporal: descendantsMb('temporal') }),
  };
}

/** `settings` of PostgreSQL by name override the usual ones. */
export async function startServers(folder: string, settings: Record<string, string> = {}) {
  const cacheDir = join(homedir(), '.cache', 'device-monitoring-service');
  const cli = await findTemporalCli({ env: process.env, cacheDir, print });
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    log: () => {},
    settings: { ...LOADS_STATEMENT_TIMES, ...settings },
  });
  const temporal = await startTemporalDevServer({
    cli,
    dbFile: join(folder, 'temporal.db'),
    searchAttributes: SEARCH_ATTRIBUTES,
    log: () => {},
  });
  const databaseUrl = await ensureDatabase(postgres.url, 'bench');
  const sql = openDatabase({
    url: databaseUrl,
    poolSize: 4,
    statementTimeoutMs: 0,
    applicationName: 'bench',
  });
  await recordStatements(sql, false);
  await migrate(sql);
  return {
    sql,
    databaseUrl,
    temporalAddress: temporal.address,
    async stop() {
      await sql.destroy();
      await temporal.stop();
      await postgres.stop();
    },
  };
}

/** Builds first, so that the measured code is the deployed one. BENCH_IS_BUILT: a bench before this one did it. */
function build(): void {
  if (process.env.BENCH_IS_BUILT) return;
  print('Building');
  const { status } = spawnSync('npm', ['run', '-s', 'build'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The build failed');
}

const print = (line: string): void => void process.stderr.write(`${line}\n`);
