/**
 * The data folder of a local start holds keys, logs and databases, all accessible to its owner alone.
 *
 * Files of earlier starts are closed by name, and a folder only when it is empty or holds the key of an
 * earlier start, because DATA_DIR may name a folder with other contents as well.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SECRETS_KEY_FILE } from './local-keys.ts';

export interface DataFolderOptions {
  /**
   * Root's PostgreSQL runs as another user, who has to pass through the folder to the cluster. This reveals
   * nothing: the folder cannot be listed, and each file in it is closed.
   */
  isPassedThrough: boolean;
}

const CLOSED = 0o700;
const PASSED_THROUGH = 0o711;
const CLOSED_FILE = 0o600;
/** Applies to everything that this process and its servers create from now on. */
const CLOSED_UMASK = 0o077;
const OUR_FILES =
  /^((service|postgres|temporal)\.log|local\.json|local-keys\.json|secrets\.key|temporal-.*\.db.*)$/;

export function prepareDataFolder(folder: string, { isPassedThrough }: DataFolderOptions): void {
  const mode = isPassedThrough ? PASSED_THROUGH : CLOSED;
  makeFolders(folder);
  if (isOurs(folder)) setMode(folder, mode);
  for (const name of readdirSync(folder)) if (OUR_FILES.test(name)) setMode(join(folder, name), CLOSED_FILE);
}

/** Folders above it get the mode of the user's umask. */
function makeFolders(folder: string): void {
  try {
    refuseSystemFolder(folder);
    mkdirSync(dirname(folder), { recursive: true });
    process.umask(CLOSED_UMASK);
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(
      `DATA_DIR must be a folder that you can write to, and ${folder} is not: ${code ?? message}`,
    );
  }
}

/** Nothing can be created there, and Node.js would try forever. */
function refuseSystemFolder(folder: string): void {
  if (/^\/(proc|sys)\//.test(`${folder}/`)) throw new Error('it belongs to the kernel');
}

const isOurs = (folder: string) =>
  existsSync(join(folder, SECRETS_KEY_FILE)) || readdirSync(folder).length === 0;

/** Only the owner may change the mode of a folder or file. */
function setMode(path: string, mode: number): void {
  if (statSync(path).uid === process.getuid?.()) chmodSync(path, mode);
}
