/** A primary with a streaming standby. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type RunningPostgres, startPostgres } from '../../dev/embedded/postgres.ts';

export interface PrimaryAndStandby {
  primary: RunningPostgres;
  standby: RunningPostgres;
  /** Ends the primary before it can send the rest of its log. */
  crashPrimary(): Promise<void>;
  /** Commits are acknowledged when both servers have them. */
  replicateSynchronously(): Promise<void>;
  stop(): Promise<void>;
}

/** A crash of the machine is not tested here. */
const FAST = { fsync: 'off', shared_buffers: '64MB', max_connections: '150', wal_keep_size: '256MB' };

/** `prepare` gets the URL of the primary before the standby is copied. */
export async function startPrimaryAndStandby(
  prepare: (url: string) => Promise<unknown>,
): Promise<PrimaryAndStandby> {
  const folder = mkdtempSync(join(tmpdir(), 'dms-standby-'));
  chmodSync(folder, 0o755);
  const [primaryDir, standbyDir] = [join(folder, 'primary'), join(folder, 'standby')];
  const primary = await startPostgres({ dataDir: primaryDir, log: () => {}, settings: FAST });
  await prepare(primary.url);
  await copyCluster(primary.url, primaryDir, standbyDir);
  const standby = await startPostgres({
    dataDir: standbyDir,
    log: () => {},
    settings: { ...FAST, primary_conninfo: primary.url, wal_retrieve_retry_interval: '200ms' },
  });
  return {
    primary,
    standby,
    async crashPrimary() {
      const [pid] = readFileSync(join(primaryDir, 'cluster', 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGQUIT');
      await primary.exited;
    },
    async replicateSynchronously() {
      await run(primary.url, `alter system set synchronous_standby_names = '*'`);
      await run(primary.url, 'select pg_reload_conf()');
    },
    async stop() {
      await Promise.all([standby.stop(), primary.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function run(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A base backup: PostgreSQL announces its begin and end, and the label that the copy needs. */
async function copyCluster(url: string, from: string, to: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`select pg_backup_start('standby', true)`);
  mkdirSync(to);
  execFileSync('cp', ['-a', join(from, 'cluster'), join(from, 'password'), to]);
  const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
  await client.end();
  const cluster = join(to, 'cluster');
  execFileSync('sh', ['-c', 'rm -rf postmaster.pid pg_wal/0*'], { cwd: cluster });
  writeFileSync(join(cluster, 'backup_label'), rows[0].labelfile);
  writeFileSync(join(cluster, 'standby.signal'), '');
  execFileSync('chown', ['--reference', join(cluster, 'PG_VERSION'), 'backup_label', 'standby.signal'], {
    cwd: cluster,
  });
}
