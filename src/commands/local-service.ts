import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandSettings } from '../process/config.ts';

/** The file that `npm start` writes for programs. */
interface LocalService {
  baseUrl: string;
  apiKey: string;
  databaseUrl: string;
  temporalAddress: string;
}

/** The latest `npm start` in DATA_DIR; null when there was none. */
export function findLocalService(): LocalService | null {
  const file = join(readCommandSettings().dataDir, 'local.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as LocalService) : null;
}
