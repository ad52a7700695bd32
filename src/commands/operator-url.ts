import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandSettings } from '../process/config.ts';
import { UsageError } from './command.ts';

/** OPERATOR_URL, else the address of the last `npm start`. */
export function findOperatorUrl(): string {
  const { operatorUrl, dataDir } = readCommandSettings();
  if (operatorUrl !== null) return operatorUrl;
  const file = join(dataDir, 'local.json');
  if (!existsSync(file)) throw new UsageError('OPERATOR_URL must say where people reach the page');
  return (JSON.parse(readFileSync(file, 'utf8')) as { baseUrl: string }).baseUrl;
}
