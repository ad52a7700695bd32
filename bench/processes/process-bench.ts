/**
 * Two of each process on PostgreSQL and the Temporal server of production; benches start and end them one by
 * one.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../dev/embedded/free-port.ts';
import type { OnStop } from '../../dev/embedded/run-and-stop.ts';
import { openJournal } from '../../dev/ledger/journal.ts';
import { startServers } from '../../dev/ledger/servers.ts';
import { createServiceProcesses, type ServiceProcess } from '../../dev/ledger/service-processes.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { setUpNamespace } from '../../src/temporal/set-up-namespace.ts';
import { createChildProcesses } from '../support/child-processes.ts';
import { addFleet, type Fleet, type FleetOptions } from '../support/fleet.ts';

export interface ProcessBench {
  sql: Database;
  temporalAddress: string;
  /** `api-1`, `gateway-2`, … */
  process(name: string): ServiceProcess;
  /** When it resolves, exactly these processes run. */
  runOnly(...names: string[]): Promise<void>;
  /** Applies to processes that start from now on. */
  set(settings: Record<string, string | undefined>): void;
  addFleet(devices: number, options?: FleetOptions): Promise<Fleet>;
  sinkUrl: string;
}

const SETTLE_MS = 2_000;
const print = (line: string): void => void process.stderr.write(`${line}\n`);

export async function startProcessBench(onStop: OnStop): Promise<ProcessBench> {
  const folder = mkdtempSync(join(tmpdir(), 'dms-bench-'));
  onStop(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  print('Building');
  execFileSync('npm', ['run', '-s', 'build'], { stdio: 'inherit' });
  const cacheDir = join(homedir(), '.cache', 'device-monitoring-service');
  const servers = await startServers({
    folder,
    cacheDir,
    env: process.env,
    temporal: 'server',
    print,
    onCrash: print,
  });
  onStop(servers.stop);
  const { databaseUrl, temporalAddress } = servers;
  const sql = openDatabase({
    url: databaseUrl,
    poolSize: 8,
    statementTimeoutMs: 0,
    applicationName: 'bench',
  });
  onStop(() => sql.destroy());
  await migrate(sql);
  await setUpNamespace({
    connection: { options: { address: temporalAddress }, namespace: 'default' },
    retentionMs: 72 * 3_600_000,
    print,
  });
  const journal = openJournal(join(folder, 'events.jsonl'));
  onStop(journal.close);
  const env: NodeJS.ProcessEnv = environment(databaseUrl, temporalAddress);
  const processes = await createServiceProcesses({
    each: 2,
    folder,
    env,
    skew: { processName: 'none', ms: 0 },
    journal,
    onFault: print,
  });
  onStop(() => Promise.all(processes.map((each) => each.end('SIGTERM'))));
  const receivers = createChildProcesses(process.env);
  onStop(receivers.stop);
  const sinkPort = await freePort();
  const sinkUrl = `http://127.0.0.1:${sinkPort}`;
  await receivers.startUntilAnswering('bench/sink.ts', `${sinkUrl}/livez`, { PORT: String(sinkPort) });

  return {
    sql,
    temporalAddress,
    sinkUrl,
    process: (name) => processes.find((each) => each.name === name) as ServiceProcess,
    async runOnly(...names) {
      for (const each of processes) {
        const isWanted = names.includes(each.name);
        if (isWanted && !each.isRunning()) await each.start();
        if (!isWanted) await each.end('SIGTERM');
      }
      await delay(SETTLE_MS);
    },
    set: (settings) => void Object.assign(env, settings),
    addFleet: (devices, options) => addFleet(sql, devices, options),
  };
}

const environment = (databaseUrl: string, temporalAddress: string) => ({
  ...process.env,
  DATABASE_URL: databaseUrl,
  TEMPORAL_ADDRESS: temporalAddress,
  SECRETS_KEYS: `1:${Buffer.alloc(32, 1).toString('base64')}`,
  RATE_LIMIT_PER_SECOND: '0',
  WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
  LOG_LEVEL: 'info',
});
