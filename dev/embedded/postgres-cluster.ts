/**
 * Creates a cluster under another name and renames it when it is complete, so an initdb that is killed leaves nothing
 * that looks like a cluster. Locale and collation are PostgreSQL's own C.UTF-8, the same on every machine. Connections
 * need a password, because other users of the machine can reach the port.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { Owner } from './postgres-owner.ts';
import { describeExit, supervise } from './supervise.ts';
import { removeLeftovers } from './unfinished-folder.ts';

export interface NewCluster {
  folder: string;
  cluster: string;
  owner: Owner;
  binaries: PostgresBinaries;
  /** Whether the new files must survive a loss of power. */
  sync: boolean;
  log: (line: string) => void;
}

const passwordFile = 'password';

/** The password of the cluster, or the one that a new cluster will get. */
export async function passwordOf(folder: string, cluster: string, owner: Owner): Promise<string> {
  const file = join(folder, passwordFile);
  if (!existsSync(file)) {
    if (existsSync(cluster))
      throw new Error(`${cluster} cannot be opened: its password was in ${file}, which is gone.`);
    await writePassword(file, owner);
  }
  return (await readFile(file, 'utf8')).trim();
}

async function writePassword(file: string, { uid, gid }: Owner): Promise<void> {
  const unfinished = `${file}-${process.pid}`;
  await writeFile(unfinished, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  if (uid !== undefined && gid !== undefined) await chown(unfinished, uid, gid);
  // A link fails when the file exists, so it never replaces the password of another process.
  await link(unfinished, file).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(unfinished);
}

export async function createCluster(wanted: NewCluster): Promise<void> {
  await removeLeftovers(wanted.folder, 'init-');
  const unfinished = join(wanted.folder, `init-${process.pid}`);
  await initdb(unfinished, wanted);
  await rename(unfinished, wanted.cluster).catch(async (error) => {
    await rm(unfinished, { recursive: true });
    if (!existsSync(wanted.cluster)) throw error; // else another process created it first
  });
}

async function initdb(target: string, { folder, owner, binaries, sync, log }: NewCluster): Promise<void> {
  const child = supervise({
    command: binaries.initdb,
    args: [
      ['--pgdata', target],
      ['--username', 'postgres', '--auth', 'scram-sha-256', '--pwfile', join(folder, passwordFile)],
      ['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ['--no-instructions'],
      sync ? [] : ['--no-sync'],
    ].flat(),
    env: { LC_ALL: 'C' },
    cwd: '/',
    ...owner,
    log,
  });
  const exit = await child.exited;
  if (exit.code === 0) return;
  throw new Error(`initdb failed (${describeExit(exit)}):\n${child.lastLines().join('\n')}`);
}
