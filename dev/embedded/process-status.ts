/** The state of processes that are not our children: whether they run, and which one holds a lock file. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The command line of the process; undefined when it has ended or cannot be seen. */
function commandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return commandLineFromPs(pid);
  }
}

function commandLineFromPs(pid: number): string | undefined {
  try {
    return execFileSync('/bin/ps', ['-o', 'args=', '-p', String(pid)], { env: {}, encoding: 'utf8' });
  } catch {
    return undefined;
  }
}

/** The running process whose pid is in the file, if its command line contains this word or cannot be seen. */
export function lockOwner(pidFile: string, word: string): number | undefined {
  const pid = pidIn(pidFile);
  if (pid === undefined || !isAlive(pid)) return undefined;
  const command = commandLine(pid);
  return command === undefined || command.includes(word) ? pid : undefined;
}

export function pidIn(pidFile: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Removes entries that ended processes left unfinished, named by the prefix and their pid. */
export async function removeLeftovers(folder: string, prefix: string): Promise<void> {
  for (const { name, pid } of await listUnfinished(folder, prefix)) {
    if (pid === process.pid || !isAlive(pid)) {
      await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
  }
}

const LOOK_MS = 200;

/** Resolves when no other running process has such an entry; calls `onWait` with one that has, before it waits. */
export async function untilOthersFinished(
  folder: string,
  prefix: string,
  onWait: (pid: number) => void,
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const other = (await listUnfinished(folder, prefix)).find(
      ({ pid }) => pid !== process.pid && isAlive(pid),
    );
    if (!other) return;
    if (isFirst) onWait(other.pid);
    await delay(LOOK_MS);
  }
}

async function listUnfinished(folder: string, prefix: string): Promise<Array<{ name: string; pid: number }>> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
  return names
    .map((name) => ({ name, pid: Number.parseInt(name.slice(prefix.length), 10) }))
    .filter(({ pid }) => pid > 0);
}
