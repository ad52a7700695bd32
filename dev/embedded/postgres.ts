/**
 * The embedded PostgreSQL: a real server on 127.0.0.1 with its data in one folder, for a start without set-up and for
 * tests. Production uses its own server.
 *
 * Guaranteed: the server ends with this process, however that ends; committed data survives a kill -9 of everything;
 * two processes never share a folder; a server whose guard was killed is stopped by the next start.
 * Deliberately not: upgrades of the major version, and Windows.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort, isFree } from './free-port.ts';
import { stopOrphan } from './orphan.ts';
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts';
import { createCluster, passwordOf } from './postgres-cluster.ts';
import { dropForeignLock, listensOn, lockHolder } from './postgres-lock.ts';
import { type Owner, prepareFolder } from './postgres-owner.ts';
import { type Exit, supervise } from './supervise.ts';
import { StartError, untilServing } from './until-serving.ts';

export interface PostgresOptions {
  /** Contains the cluster and its password; created if it does not exist. */
  dataDir: string;
  /** Default: a free one. */
  port?: number;
  /** Called with each line of the server's log. */
  log: (line: string) => void;
  /** Called with messages for the user. */
  print?: (line: string) => void;
  /** Server settings by name, over the defaults below. */
  settings?: Record<string, string>;
}

export interface RunningPostgres {
  /** URL of the database `postgres`, including the password. */
  url: string;
  /** Resolves when the server has ended, for any reason. */
  exited: Promise<Exit>;
  stop(): Promise<void>;
}

const defaultSettings = {
  listen_addresses: '127.0.0.1',
  // No Unix socket: a path within a checkout may exceed its length limit.
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  wal_compression: 'pglz',
  // Writes reach the disk steadily; writeback by the kernel comes in bursts that delay commits by tenths of a second.
  backend_flush_after: '512kB',
};

/** How long the guard of a killed process may take to stop its server; the guard's own limit is a little shorter. */
const releaseMs = 8_000;
/** SIGINT is the fast shutdown: it ends sessions and writes a checkpoint. */
const stopping = { stopSignal: 'SIGINT', graceMs: 7_000 } as const;
/** Crash recovery may read gigabytes; a server that ends is noticed at once. */
const recoveryMs = 300_000;

export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { log, print = () => {}, settings: wanted = {} } = options;
  const folder = resolve(options.dataDir);
  const owner = await prepareFolder(folder);
  const binaries = await findPostgres(folder, owner);
  const cluster = join(folder, 'cluster');
  const password = await passwordOf(folder, cluster, owner);
  if (!existsSync(cluster)) {
    await createCluster({ folder, cluster, owner, binaries, sync: wanted.fsync !== 'off', log });
  }
  const settings = { ...defaultSettings, ...wanted };
  const launch = { cluster, owner, binaries, settings, password, log, print };
  return startWhenReleased(launch, options.port);
}

interface Launch {
  cluster: string;
  owner: Owner;
  binaries: PostgresBinaries;
  settings: Record<string, string>;
  password: string;
  log: (line: string) => void;
  print: (line: string) => void;
}

/**
 * Repeats the start while the previous server on this folder is still ending, or when another process took
 * the port.
 */
async function startWhenReleased(launch: Launch, wantedPort?: number): Promise<RunningPostgres> {
  const deadline = Date.now() + releaseMs;
  for (;;) {
    await untilReleased(launch, deadline);
    await dropForeignLock(launch.cluster);
    if (wantedPort !== undefined && !(await isFree(wantedPort))) {
      throw new Error(`PostgreSQL cannot listen on port ${wantedPort}: it is in use.`);
    }
    try {
      return await start(launch, wantedPort ?? (await freePort()));
    } catch (error) {
      if (!(error instanceof StartError) || !transientFault.test(error.message) || Date.now() > deadline)
        throw error;
      await sleep(200);
    }
  }
}

/** The beginning of the arguments below; those of pg_ctl differ. */
const startedAs = (cluster: string) => `-D ${cluster} -p `;

const transientFault = /another postmaster|pre-existing shared memory|could not create any TCP\/IP sockets/;

async function untilReleased({ cluster, print }: Launch, deadline: number): Promise<void> {
  for (let holder = lockHolder(cluster); holder !== undefined; holder = lockHolder(cluster)) {
    const orphan = { name: 'PostgreSQL', pid: holder, startedAs: startedAs(cluster), ...stopping };
    if (await stopOrphan(orphan, print)) continue;
    if (Date.now() > deadline) {
      throw new Error(
        `Another PostgreSQL, process ${holder}, is running on ${cluster}. Stop it, or use another data folder.`,
      );
    }
    await sleep(100);
  }
}

async function start(launch: Launch, port: number): Promise<RunningPostgres> {
  const { cluster, owner, binaries, settings, password, log } = launch;
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = supervise({
    command: binaries.postgres,
    args: ['-D', cluster, '-p', String(port), ...flags],
    env: { LC_ALL: 'C' },
    cwd: '/',
    ...owner,
    ...stopping,
    log,
  });
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  await untilServing(server, {
    name: 'PostgreSQL',
    timeoutMs: recoveryMs,
    // Checks the lock first, because another server may have taken the port and would answer.
    probe: async () => listensOn(cluster, port) && acceptsConnections(url, cluster),
  });
  return { url, exited: server.exited, stop: () => server.stop() };
}

async function acceptsConnections(url: string, cluster: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {}); // the end of the server is reported by `exited`
  try {
    await client.connect();
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== wrongPassword) return false;
    throw new Error(`The password beside ${cluster} does not open it.`, { cause: error });
  } finally {
    await client.end().catch(() => {});
  }
}

const wrongPassword = '28P01';
