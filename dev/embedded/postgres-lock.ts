/** Reads a cluster's postmaster.pid: line 1 is the pid of the server, line 4 its port. */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, lockOwner, pidIn } from './process-status.ts';

/** The pid of the server that runs on the cluster. */
export const lockHolder = (cluster: string) => lockOwner(lockOf(cluster), 'postgres');

export function listensOn(cluster: string, port: number): boolean {
  return (
    lockHolder(cluster) !== undefined && readFileSync(lockOf(cluster), 'utf8').split('\n')[3] === String(port)
  );
}

/**
 * After a reboot the pid in the lock may belong to another program, and PostgreSQL would refuse to start.
 * PostgreSQL handles the pid of an ended process itself.
 */
export async function dropForeignLock(cluster: string): Promise<void> {
  const pid = pidIn(lockOf(cluster));
  if (pid !== undefined && isAlive(pid) && lockHolder(cluster) === undefined)
    await rm(lockOf(cluster), { force: true });
}

const lockOf = (cluster: string) => join(cluster, 'postmaster.pid');
