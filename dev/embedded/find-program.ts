import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Passed by the caller: nothing here reads process.env. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The path of the first program of this name on the PATH. */
export async function findProgram(name: string, env: Env): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
