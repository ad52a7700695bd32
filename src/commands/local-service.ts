import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandSettings } from '../process/config.ts';

/** What commands read of the file that `npm start` writes for programs. */
export interface LocalService {
  baseUrl: string;
  apiKey: string;
  databaseUrl: string;
  temporalAddress: string;
}

/** The latest `npm start` in the folder, which is DATA_DIR by default; null when there was none. */
export function findLocalService(dataDir = readCommandSettings().dataDir): LocalService | null {
  const file = join(dataDir, 'local.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as LocalService) : null;
}
