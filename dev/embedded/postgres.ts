/**
 * The embedded PostgreSQL: a real server on 127.0.0.1 with its data in one folder, for a start without any set-up
 * and for tests. Production brings its own and never loads this file.
 *
 * Guaranteed: the server ends with this process, however that ends; what was committed is there at the next start,
 * also after kill -9 of everything; two processes never share a folder.
 * Deliberately not: upgrades of the major version, and Windows.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort, isFree } from './free-port.ts';
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts';
import { createCluster, passwordOf } from './postgres-cluster.ts';
import { dropForeignLock, holderOf, listensOn } from './postgres-lock.ts';
import { type Owner, prepareFolder } from './postgres-owner.ts';
import { type Exit, supervise } from './supervise.ts';
import { StartError, untilServing } from './until-serving.ts';

export interface PostgresOptions {
  /** Holds the cluster and its password; made when it is not there. */
  dataDir: string;
  /** A free one unless given. */
  port?: number;
  /** Gets each line of the server's log. */
  log: (line: string) => void;
  /** Server settings by name, over the defaults below. */
  settings?: Record<string, string>;
}

export interface RunningPostgres {
  /** Of the database `postgres`, with the password in it. */
  url: string;
  /** Resolves when the server is gone, asked for or not. */
  exited: Promise<Exit>;
  stop(): Promise<void>;
}

const defaultSettings = {
  listen_addresses: '127.0.0.1',
  // No socket: its path has a length limit that folders of checkouts exceed.
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  // What backends write goes to the disk steadily; gathered by the kernel, it holds up commits by tenths of a second.
  backend_flush_after: '512kB',
};

/** How long an orphan's guard may take to stop it; the guard's own patience is a little shorter. */
const releaseMs = 8_000;
const stopGraceMs = 7_000;
/** Recovery after a crash may have gigabytes to read; a server that ends is noticed at once. */
const recoveryMs = 300_000;

export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { log, settings: wanted = {} } = options;
  const folder = resolve(options.dataDir);
  const owner = await prepareFolder(folder);
  const binaries = await findPostgres(folder, owner);
  const cluster = join(folder, 'cluster');
  const password = await passwordOf(folder, cluster, owner);
  if (!existsSync(cluster)) {
    await createCluster({ folder, cluster, owner, binaries, sync: wanted.fsync !== 'off', log });
  }
  const settings = { ...defaultSettings, ...wanted };
  const launch = { cluster, owner, binaries, settings, password, log };
  return startWhenReleased(launch, options.port);
}

interface Launch {
  cluster: string;
  owner: Owner;
  binaries: PostgresBinaries;
  settings: Record<string, string>;
  password: string;
  log: (line: string) => void;
}

/** Tries again while the last server on this folder is still ending, or when a port was taken under our hands. */
async function startWhenReleased(launch: Launch, wantedPort?: number): Promise<RunningPostgres> {
  const deadline = Date.now() + releaseMs;
  for (;;) {
    await untilReleased(launch.cluster, deadline);
    await dropForeignLock(launch.cluster);
    if (wantedPort !== undefined && !(await isFree(wantedPort))) {
      throw new Error(`PostgreSQL cannot listen on port ${wantedPort}: it is in use.`);
    }
    try {
      return await start(launch, wantedPort ?? (await freePort()));
    } catch (error) {
      if (!(error instanceof StartError) || !passing.test(error.message) || Date.now() > deadline)
        throw error;
      await sleep(200);
    }
  }
}

const passing = /another postmaster|pre-existing shared memory|could not create any TCP\/IP sockets/;

async function untilReleased(cluster: string, deadline: number): Promise<void> {
  for (let holder = holderOf(cluster); holder !== undefined; holder = holderOf(cluster)) {
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
    stopSignal: 'SIGINT', // the fast shutdown: ends sessions, writes a checkpoint
    graceMs: stopGraceMs,
    log,
  });
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  await untilServing(server, {
    name: 'PostgreSQL',
    timeoutMs: recoveryMs,
    // The lock first: if the port was snatched, whoever answers there is not ours.
    probe: async () => listensOn(cluster, port) && acceptsConnections(url, cluster),
  });
  return { url, exited: server.exited, stop: () => server.stop() };
}

async function acceptsConnections(url: string, cluster: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {}); // it is the server's end that counts
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
