/** What the last `npm start` in the data folder wrote; null when there was none. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDataDir } from '../../src/process/config.ts';
import type { Local } from './local-instance.ts';

export function readLocal(dataDir = readDataDir()): Local | null {
  const file = join(dataDir, 'local.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Local) : null;
}
