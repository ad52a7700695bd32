/** What some tests need beyond npm. Where a program is missing, its tests are skipped, and the run says how to get it. */
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Where `npm run test:programs` puts what Debian does not have. */
const OWN = join(homedir(), '.cache', 'device-monitoring-service', 'test-programs', 'bin');

/** The search path of tests: Debian keeps servers in sbin, which is not on the path of every user. */
export const PROGRAMS_PATH = [OWN, process.env.PATH ?? '', '/usr/sbin', '/sbin'].join(delimiter);

const NEEDED = [
  'chromium',
  'curl',
  'go',
  'helm',
  'nginx',
  'pdftotext',
  'pg_dump',
  'pgbouncer',
  'promtool',
  'psql',
  'python3',
] as const;

/** The path of the first program of the name on the search path; null where there is none. */
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
