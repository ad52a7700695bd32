/**
 * The SQLite file of the Temporal dev server: its name, whether it is complete, and that no other server uses
 * it.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, format, parse, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopOrphan } from './orphan.ts';
import { lockOwner } from './process-status.ts';
import { versionOf } from './temporal-cli-version.ts';

/** How long the guard of a killed process may take to stop its server; the guard's own limit is shorter. */
const releaseMs = 8_000;

/** The path of the file for this version of the server, free to use. */
export async function prepareFile(
  dbFile: string,
  cli: string,
  print: (line: string) => void,
): Promise<string> {
  const { dir, name, ext } = parse(resolve(dbFile));
  const { server } = await versionOf(cli);
  const file = format({ dir, name: `${name}-${server}`, ext: ext || '.db' });
  await mkdir(dirname(file), { recursive: true });
  await untilReleased(file, print);
  if (existsSync(file) && !existsSync(markOf(file))) await removeAll(file);
  return file;
}

/**
 * Marks a file as usable. The server creates its tables only in a new file, and cannot reuse one in which it
 * was killed before they were complete, so a file is reused only after a server has served on it once.
 */
export const markInitialized = (file: string) => writeFile(markOf(file), '');

export const pidFileOf = (file: string) => `${file}.pid`;
const stopping = { stopSignal: 'SIGINT', graceMs: 5_000 } as const;
const markOf = (file: string) => `${file}.whole`;

async function untilReleased(file: string, print: (line: string) => void): Promise<void> {
  const deadline = Date.now() + releaseMs;
  const holder = () => lockOwner(pidFileOf(file), file);
  for (let pid = holder(); pid !== undefined; pid = holder()) {
    const orphan = { name: 'Temporal', pid, startedAs: `--db-filename ${file} `, ...stopping };
    if (await stopOrphan(orphan, print)) continue;
    if (Date.now() > deadline) {
      throw new Error(
        `Another Temporal dev server, process ${pid}, is running on ${file}. Stop it, or use another file.`,
      );
    }
    await sleep(100);
  }
}

async function removeAll(file: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(`${file}${suffix}`, { force: true });
}
