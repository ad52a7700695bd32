/** Two of each process on PostgreSQL and the Temporal server of production, which benches start and end one by one. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../dev/embedded/free-port.ts';
import type { OnStop } from '../../dev/embedded/run-and-stop.ts';
import { openJournal } from '../../dev/ledger/journal.ts';
import { createMembers, type Member } from '../../dev/ledger/members.ts';
import { startServers } from '../../dev/ledger/servers.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { setUpNamespace } from '../../src/temporal/set-up-namespace.ts';
import { createChildProcesses } from '../support/child-processes.ts';
import { addFleet, type Fleet, type FleetOptions } from '../support/fleet.ts';

export interface Company {
  sql: Database;
  temporalAddress: string;
  /** `api-1`, `gateway-2`, … */
  member(name: string): Member;
  /** Exactly these run when it resolves. */
  runOnly(...names: string[]): Promise<void>;
  addFleet(devices: number, options?: FleetOptions): Promise<Fleet>;
  sinkUrl: string;
}

const SETTLE_MS = 2_000;
const print = (line: string): void => void process.stderr.write(`${line}\n`);

export async function startCompany(onStop: OnStop): Promise<Company> {
  const folder = mkdtempSync(join(tmpdir(), 'dms-company-'));
  onStop(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  print('Building');
  execFileSync('npm', ['run', '-s', 'build'], { stdio: 'inherit' });
  const cacheDir = join(homedir(), '.cache', 'device-monitoring-service');
  const servers = await startServers({ folder, cacheDir, env: process.env, temporal: 'server', print });
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
  const members = await createMembers({
    each: 2,
    folder,
    env: environment(databaseUrl, temporalAddress),
    skew: { member: 'none', ms: 0 },
    journal,
    onFault: print,
  });
  onStop(() => Promise.all(members.map((member) => member.end('SIGTERM'))));
  const receivers = createChildProcesses(process.env);
  onStop(receivers.stop);
  const sinkPort = await freePort();
  const sinkUrl = `http://127.0.0.1:${sinkPort}`;
  await receivers.startUntilAnswering('bench/sink.ts', `${sinkUrl}/livez`, { PORT: String(sinkPort) });

  return {
    sql,
    temporalAddress,
    sinkUrl,
    member: (name) => members.find((member) => member.name === name) as Member,
    async runOnly(...names) {
      for (const member of members) {
        const isWanted = names.includes(member.name);
        if (isWanted && !member.isRunning()) await member.start();
        if (!isWanted) await member.end('SIGTERM');
      }
      await delay(SETTLE_MS);
    },
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
