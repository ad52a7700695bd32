/**
 * Programs that some tests need beyond npm. Tests of a missing program are skipped, and the run prints how to
 * install it.
 */
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

/** The first program with this name on the search path; null when there is none. */
export function findTestProgram(name: (typeof NEEDED)[number]): string | null {
  return (
    PROGRAMS_PATH.split(delimiter)
      .map((folder) => join(folder, name))
      .find(isExecutable) ?? null
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function printMissingPrograms(print: (text: string) => void): void {
  const missing = NEEDED.filter((name) => findTestProgram(name) === null);
  if (missing.length === 0) return;
  print(`Missing, so their tests are skipped: ${missing.join(', ')}. On Debian: npm run test:programs\n`);
}
