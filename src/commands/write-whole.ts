/** Writes files that have their names only once they are complete. */
import { randomUUID } from 'node:crypto';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/**
 * The work writes to the path that it is given. A device or named pipe, such as /dev/null, is written directly.
 * Returns whether it has made a file, which with `isPrivate` only its owner can read.
 */
export async function writeWhole(
  file: string,
  write: (path: string) => Promise<void>,
  { isPrivate = false } = {},
): Promise<boolean> {
  // The target of a link, so that the link stays.
  const target = await realpath(file).catch(() => file);
  const found = await stat(target).catch(() => null);
  if (found && !found.isFile()) {
    await write(target);
    return false;
  }
  // Another command may be writing the same file.
  const unfinished = `${target}.${randomUUID().slice(0, 8)}.unfinished`;
  try {
    if (isPrivate) await writeFile(unfinished, '', { flag: 'wx', mode: 0o600 });
    await write(unfinished);
    await rename(unfinished, target);
    return true;
  } finally {
    await rm(unfinished, { force: true });
  }
}
