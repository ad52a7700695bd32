/** Writes files that have their names only once they are complete. */
import { realpath, rename, rm, stat } from 'node:fs/promises';

/**
 * The work writes to the path that it is given. A device or named pipe, such as /dev/null, is written directly.
 * Returns whether it has made a file.
 */
export async function writeWhole(file: string, write: (path: string) => Promise<void>): Promise<boolean> {
  // The target of a link, so that the link stays.
  const target = await realpath(file).catch(() => file);
  const found = await stat(target).catch(() => null);
  if (found && !found.isFile()) {
    await write(target);
    return false;
  }
  const unfinished = `${target}.unfinished`;
  try {
    await write(unfinished);
    await rename(unfinished, target);
    return true;
  } finally {
    await rm(unfinished, { force: true });
  }
}
