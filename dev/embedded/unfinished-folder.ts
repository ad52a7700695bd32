/**
 * Lets several processes share the result of some work. Each works in a folder of its own: others see the
 * result whole or not at all, and can wait for it.
 */
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './process-status.ts';

const BEAT_MS = 1_000;
/** A folder untouched for this long belongs to a process that has ended; its pid may be another's by now. */
const FRESH_MS = 30_000;
const LOOK_MS = 200;

/** Gives the work a folder, named by the prefix and the pid, and removes it when the work has ended. */
export async function inUnfinishedFolder<Result>(
  parent: string,
  prefix: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = join(parent, `${prefix}${process.pid}`);
  await mkdir(folder);
  const beat = setInterval(() => void utimes(folder, new Date(), new Date()).catch(() => {}), BEAT_MS);
  try {
    return await work(folder);
  } finally {
    clearInterval(beat);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resolves when no other process works in such a folder; first calls `onWait` if one does. */
export async function untilOthersFinished(
  parent: string,
  prefix: string,
  onWait: (pid: number) => void,
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const pid = await findOtherAtWork(parent, prefix);
    if (pid === null) return;
    if (isFirst) onWait(pid);
    await delay(LOOK_MS);
  }
}

/** Removes entries that ended processes left unfinished, named by the prefix and their pid. */
export async function removeLeftovers(parent: string, prefix: string): Promise<void> {
  for (const { path, pid } of await listUnfinished(parent, prefix)) {
    if (pid === process.pid || !isAlive(pid)) {
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
  }
}

async function findOtherAtWork(parent: string, prefix: string): Promise<number | null> {
  for (const { path, pid } of await listUnfinished(parent, prefix)) {
    if (pid !== process.pid && isAlive(pid) && (await isFresh(path))) return pid;
  }
  return null;
}

const isFresh = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs < FRESH_MS,
    () => false,
  );

async function listUnfinished(parent: string, prefix: string): Promise<Array<{ path: string; pid: number }>> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  return names
    .map((name) => ({ path: join(parent, name), pid: Number.parseInt(name.slice(prefix.length), 10) }))
    .filter(({ pid }) => pid > 0);
}
