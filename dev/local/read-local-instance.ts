/** What the last `npm start` in the data folder wrote; null when there was none. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDataDir } from '../../src/process/config.ts';
import type { LocalInstance } from './local-instance.ts';

export function readLocalInstance(dataDir = readDataDir()): LocalInstance | null {
  const file = join(dataDir, 'local.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as LocalInstance) : null;
}
