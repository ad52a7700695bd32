import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';

/** A log in the data folder. It is open at once, because pino cannot flush one that is not, whatever ends us. */
export function openLogFile(dataDir: string, name: string) {
  mkdirSync(dataDir, { recursive: true });
  return pino.destination({ fd: openSync(join(dataDir, name), 'a'), sync: false });
}
