/** The SQLite file of the Temporal dev server: which one, that it is whole, and that nobody else has it open. */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, format, parse, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockOwner } from './process-status.ts';
import { versionOf } from './temporal-cli-version.ts';

/** How long an orphan's guard may take to stop the last server on the file; its patience is shorter. */
const releaseMs = 8_000;

/** The path that this version of the server uses, ready for it. */
export async function prepareFile(dbFile: string, cli: string): Promise<string> {
  const { dir, name, ext } = parse(resolve(dbFile));
  const { server } = await versionOf(cli);
  const file = format({ dir, name: `${name}-${server}`, ext: ext || '.db' });
  await mkdir(dirname(file), { recursive: true });
  await untilReleased(file);
  if (existsSync(file) && !existsSync(markOf(file))) await removeAll(file);
  return file;
}

/**
 * The server makes its tables only in a new file. If it was killed while it did, it could never use the file again:
 * so a file counts only when a server on it has served once.
 */
export const markInitialized = (file: string) => writeFile(markOf(file), '');

export const pidFileOf = (file: string) => `${file}.pid`;
const markOf = (file: string) => `${file}.whole`;

async function untilReleased(file: string): Promise<void> {
  const deadline = Date.now() + releaseMs;
  const holder = () => lockOwner(pidFileOf(file), file);
  for (let pid = holder(); pid !== undefined; pid = holder()) {
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
