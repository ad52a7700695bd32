/** PostgreSQL and Temporal of a run, which can be killed and restarted on the same ports. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/workflow-ids.ts';
import { ensureDatabase } from '../embedded/ensure-database.ts';
import type { Env } from '../embedded/find-program.ts';
import { freePort } from '../embedded/free-port.ts';
import { type RunningPostgres, startPostgres } from '../embedded/postgres.ts';
import { findTemporalCli } from '../embedded/temporal-cli.ts';
import { startTemporalDevServer } from '../embedded/temporal-dev-server.ts';
import { setUpTemporalSchema, startTemporalServer } from '../embedded/temporal-server.ts';
import { findTemporalServer } from '../embedded/temporal-server-programs.ts';
import { openLogFile } from '../local/log-file.ts';

export interface Servers {
  databaseUrl: string;
  temporalAddress: string;
  /** Immediate shutdown, as after a loss of power; then it starts again. */
  interruptDatabase(awayMs: () => Promise<void>): Promise<void>;
  /** kill -9; then it starts again. */
  interruptTemporal(awayMs: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export interface ServersOptions {
  folder: string;
  cacheDir: string;
  env: Env;
  temporal: 'server' | 'dev';
  print(line: string): void;
  /** PostgreSQL ended a process of its own, and with it all connections: no fault of the plan does that. */
  onCrash(text: string): void;
}

interface TemporalRun {
  address: string;
  pid(): number;
  exited: Promise<unknown>;
  stop(): Promise<void>;
}

const CONNECTIONS = '400';
const CRASH = /was terminated by signal/;

export async function startServers(options: ServersOptions): Promise<Servers> {
  const { folder, print, onCrash } = options;
  const port = await freePort();
  const write = logTo(folder, 'postgres.log');
  const log = (line: string) => {
    write(line);
    if (CRASH.test(line)) onCrash(`PostgreSQL crashed: ${line}`);
  };
  const launch = () =>
    startPostgres({
      dataDir: join(folder, 'postgres'),
      port,
      log,
      settings: { max_connections: CONNECTIONS },
    });
  print('PostgreSQL: starting');
  let postgres = await launch();
  const databaseUrl = await ensureDatabase(postgres.url, 'dms');
  const launchTemporal = await prepareTemporal(options, () => postgres);
  let temporal = await untilStarted(launchTemporal);
  return {
    databaseUrl,
    temporalAddress: temporal.address,
    async interruptDatabase(away) {
      process.kill(pidIn(join(folder, 'postgres', 'cluster', 'postmaster.pid')), 'SIGQUIT');
      await postgres.exited;
      await away();
      postgres = await launch();
    },
    async interruptTemporal(away) {
      process.kill(temporal.pid(), 'SIGKILL');
      await temporal.exited;
      await away();
      temporal = await untilStarted(launchTemporal);
    },
    async stop() {
      await temporal.stop();
      await postgres.stop();
    },
  };
}

/** Returns a start function that can be repeated, always on the same ports. */
async function prepareTemporal(
  { folder, cacheDir, env, temporal, print }: ServersOptions,
  postgres: () => RunningPostgres,
): Promise<() => Promise<TemporalRun>> {
  const log = logTo(folder, 'temporal.log');
  if (temporal === 'dev') {
    const cli = await findTemporalCli({ env, cacheDir, print });
    const port = await freePort();
    const dbFile = join(folder, 'temporal.db');
    return async () => {
      const server = await startTemporalDevServer({
        cli,
        dbFile,
        port,
        searchAttributes: SEARCH_ATTRIBUTES,
        log,
      });
      return { ...server, pid: () => pidIn(server.pidFile as string) };
    };
  }
  const programs = await findTemporalServer({ env, cacheDir, print });
  await setUpTemporalSchema(programs, postgres().url);
  const pidFile = join(folder, 'temporal.pid');
  let ports: Awaited<ReturnType<typeof startTemporalServer>>['ports'] | undefined;
  return async () => {
    const server = await startTemporalServer({ programs, postgresUrl: postgres().url, ports, pidFile, log });
    ports = server.ports;
    return { ...server, pid: () => pidIn(pidFile) };
  };
}

/** A Temporal server gives up starting while PostgreSQL is away. */
async function untilStarted(launch: () => Promise<TemporalRun>): Promise<TemporalRun> {
  const until = performance.now() + START_MS;
  for (;;) {
    try {
      return await launch();
    } catch (error) {
      if (performance.now() > until) throw error;
      await delay(500);
    }
  }
}

const START_MS = 60_000;

const pidIn = (file: string) => Number.parseInt(readFileSync(file, 'utf8'), 10);

function logTo(folder: string, name: string): (line: string) => void {
  const log = openLogFile(folder, name);
  return (line) => void log.write(`${line}\n`);
}
