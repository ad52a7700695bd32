/**
 * The user who runs the embedded PostgreSQL. PostgreSQL refuses to run as root: then the user `postgres` runs
 * it, who is created if necessary and must be able to reach the data folder and the programs.
 */
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Empty: the user of this process. */
export interface Owner {
  uid?: number;
  gid?: number;
}

const run = promisify(execFile);
/** Where account tools are on every system, because the caller's PATH may lack them. */
const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

/** Creates the folder for the user who will run the server, and returns that user. */
export async function prepareFolder(folder: string): Promise<Owner> {
  await mkdir(folder, { recursive: true });
  const { uid } = await stat(folder);
  const me = process.getuid?.();
  if (me === 0) return handOver(folder);
  if (uid !== me) {
    throw new Error(`The data folder ${folder} belongs to another user (uid ${uid}); use another one.`);
  }
  await chmod(folder, 0o700);
  return {};
}

async function handOver(folder: string): Promise<Owner> {
  const owner = (await ownerOfCluster(folder)) ?? (await postgresUser());
  await chown(folder, owner.uid, owner.gid);
  await chmod(folder, 0o700);
  try {
    await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...owner, env, cwd: '/' });
  } catch (cause) {
    throw new Error(
      `PostgreSQL does not run as root, and the user it runs as instead (uid ${owner.uid}) cannot reach ${folder}: ` +
        'a folder above it is closed to others. Set the data folder (DATA_DIR) to one within reach, or do not run as root.',
      { cause },
    );
  }
  return owner;
}

/** A cluster created by an ordinary user keeps its owner. */
async function ownerOfCluster(folder: string): Promise<Required<Owner> | undefined> {
  const found = await stat(join(folder, 'cluster')).catch(() => undefined);
  return found && { uid: found.uid, gid: found.gid };
}

async function postgresUser(): Promise<Required<Owner>> {
  return (await lookUp().catch(() => undefined)) ?? createUser();
}

async function createUser(): Promise<Required<Owner>> {
  try {
    await run('groupadd', ['--force', 'postgres'], { env });
    await run('useradd', ['--gid', 'postgres', 'postgres'], { env });
    return await lookUp();
  } catch (cause) {
    throw new Error(
      'PostgreSQL does not run as root, and no user "postgres" could be created to run it. Run as an ordinary user.',
      { cause },
    );
  }
}

async function lookUp(): Promise<Required<Owner>> {
  const ask = async (flag: string) => Number((await run('id', [flag, 'postgres'], { env })).stdout);
  return { uid: await ask('-u'), gid: await ask('-g') };
}
