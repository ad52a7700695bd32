/** Reads a cluster's postmaster.pid: line 1 is the pid of the server, line 4 its port. */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, lockOwner, pidIn } from './process-status.ts';

/** The pid of the live server on the cluster. */
export const holderOf = (cluster: string) => lockOwner(lockOf(cluster), 'postgres');

export function listensOn(cluster: string, port: number): boolean {
  return (
    holderOf(cluster) !== undefined && readFileSync(lockOf(cluster), 'utf8').split('\n')[3] === String(port)
  );
}

/**
 * After a restart of the machine the pid in the lock may belong to some other program, and PostgreSQL refuses to
 * start because of it. A dead pid it handles itself.
 */
export async function dropForeignLock(cluster: string): Promise<void> {
  const pid = pidIn(lockOf(cluster));
  if (pid !== undefined && isAlive(pid) && holderOf(cluster) === undefined)
    await rm(lockOf(cluster), { force: true });
}

const lockOf = (cluster: string) => join(cluster, 'postmaster.pid');
