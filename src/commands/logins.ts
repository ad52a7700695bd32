/** The services that this user has logged in to, with their keys, in a file that only the user can read. */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

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

/** Replaces the file at once, so that one of two concurrent commands wins. */
export function writeLogins(file: string, logins: Logins): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}
