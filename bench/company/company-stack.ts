/** Two of each process on PostgreSQL and the Temporal server of production, which benches start and end one by one. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../dev/embedded/free-port.ts';
import { openJournal } from '../../dev/ledger/journal.ts';
import { createMembers, type Member } from '../../dev/ledger/members.ts';
import { startServers } from '../../dev/ledger/servers.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { setUpNamespace } from '../../src/temporal/set-up-namespace.ts';
import { addFleet, type Fleet, type FleetOptions } from '../support/fleet.ts';

export interface Company {
  sql: Database;
  temporalAddress: string;
  /** `api-1`, `gateway-2`, … */
  member(name: string): Member;
  /** Exactly these run when it resolves. */
  runOnly(...names: string[]): Promise<void>;
  /** For processes that start from now on. */
  set(settings: Record<string, string | undefined>): void;
  addFleet(devices: number, options?: FleetOptions): Promise<Fleet>;
  sinkUrl: string;
  stop(): Promise<void>;
}

const SETTLE_MS = 2_000;
const print = (line: string): void => void process.stderr.write(`${line}\n`);

export async function startCompany(): Promise<Company> {
  const folder = mkdtempSync(join(tmpdir(), 'dms-company-'));
  chmodSync(folder, 0o755);
  print('Building');
  execFileSync('npm', ['run', '-s', 'build'], { stdio: 'inherit' });
  const cacheDir = join(homedir(), '.cache', 'device-monitoring-service');
  const servers = await startServers({ folder, cacheDir, env: process.env, temporal: 'server', print });
  const { databaseUrl, temporalAddress } = servers;
  const sql = openDatabase({
    url: databaseUrl,
    poolSize: 8,
    statementTimeoutMs: 0,
    applicationName: 'bench',
  });
  await migrate(sql);
  await setUpNamespace({
    connection: { options: { address: temporalAddress }, namespace: 'default' },
    retentionMs: 72 * 3_600_000,
    print,
  });
  const journal = openJournal(join(folder, 'events.jsonl'));
  const env: NodeJS.ProcessEnv = environment(databaseUrl, temporalAddress);
  const members = await createMembers({
    each: 2,
    folder,
    env,
    skew: { member: 'none', ms: 0 },
    journal,
    onFault: print,
  });
  const sink = await startSink();

  return {
    sql,
    temporalAddress,
    sinkUrl: sink.url,
    member: (name) => members.find((member) => member.name === name) as Member,
    async runOnly(...names) {
      for (const member of members) {
        const isWanted = names.includes(member.name);
        if (isWanted && !member.isRunning()) await member.start();
        if (!isWanted) await member.end('SIGTERM');
      }
      await delay(SETTLE_MS);
    },
    set: (settings) => void Object.assign(env, settings),
    addFleet: (devices, options) => addFleet(sql, devices, options),
    async stop() {
      for (const member of members) await member.end('SIGTERM');
      sink.process.kill();
      await sql.destroy();
      await servers.stop();
      await journal.close();
      rmSync(folder, { recursive: true, force: true });
    },
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

async function startSink(): Promise<{ url: string; process: ChildProcess }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ['--import=#typescript', 'bench/sink.ts'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'inherit',
  });
  const isUp = () =>
    fetch(`${url}/livez`).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) await delay(50);
  return { url, process: child };
}
