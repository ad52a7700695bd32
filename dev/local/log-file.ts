import { openSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';

/**
 * A log file in the data folder, opened synchronously, because pino cannot flush one that is still opening.
 */
export function openLogFile(dataDir: string, name: string) {
  return pino.destination({ fd: openSync(join(dataDir, name), 'a'), sync: false });
}
