/**
 * Programs that some tests need beyond npm. Tests of a missing program are skipped, and the run prints how to
 * install it.
 */
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { TEST_PROGRAMS } from '../../dev/release/test-programs.ts';

const OWN = join(TEST_PROGRAMS, 'bin');

/** The search path of tests, with sbin, where Debian keeps servers and which is not on every user's path. */
export const PROGRAMS_PATH = [OWN, process.env.PATH ?? '', '/usr/sbin', '/sbin'].join(delimiter);

const NEEDED = [
  'caddy',
  'chromium',
  'curl',
  'go',
  'helm',
  'nginx',
  'pdftotext',
  'pg_basebackup',
  'pg_dump',
  'pgbouncer',
  'promtool',
  'psql',
  'python3',
] as const;

/** Those that refuse a server of a later version. */
const CLIENTS_OF_POSTGRES: readonly string[] = ['pg_basebackup', 'pg_dump'];
const POSTGRES_VERSION = 18;

/** The first program with this name on the search path; null when there is none, or when it is too old. */
export function findTestProgram(name: (typeof NEEDED)[number]): string | null {
  const found = PROGRAMS_PATH.split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);
  return found !== undefined && fitsServer(name, found) ? found : null;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function fitsServer(name: string, path: string): boolean {
  if (!CLIENTS_OF_POSTGRES.includes(name)) return true;
  const [, version] = / (\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(version) >= POSTGRES_VERSION;
}

export function printMissingPrograms(print: (text: string) => void): void {
  const missing = NEEDED.filter((name) => findTestProgram(name) === null);
  if (missing.length === 0) return;
  print(
    `Missing or too old, so their tests are skipped: ${missing.join(', ')}. On Debian: npm run test:programs\n`,
  );
}
