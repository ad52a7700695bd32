/** The services that this user has logged in to, with their keys, in a file that only the user can read. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writePrivately } from '../process/write-privately.ts';

export interface Login {
  url: string;
  apiKey: string;
}

interface Logins {
  /** The login that is used without `--login`; null when there is none. */
  current: string | null;
  byName: Record<string, Login>;
}

export function readLogins(file: string): Logins {
  if (!existsSync(file)) return { current: null, byName: {} };
  return JSON.parse(readFileSync(file, 'utf8')) as Logins;
}

export function writeLogins(file: string, logins: Logins): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writePrivately(file, `${JSON.stringify(logins, null, 2)}\n`);
}
