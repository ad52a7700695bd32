/** Writes files that have their names only once they are complete. */
import { realpath, rename, rm, stat } from 'node:fs/promises';

/** The work writes to the path that it is given. A device or pipe, such as /dev/null, is written directly. */
export async function writeWhole(file: string, write: (path: string) => Promise<void>): Promise<void> {
  // The target of a link, so that the link stays.
  const target = await realpath(file).catch(() => file);
  const found = await stat(target).catch(() => null);
  if (found && !found.isFile()) return write(target);
  const unfinished = `${target}.unfinished`;
  try {
    await write(unfinished);
    await rename(unfinished, target);
  } finally {
    await rm(unfinished, { force: true });
  }
}
