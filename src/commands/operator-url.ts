import { readCommandSettings } from '../process/config.ts';
import { UsageError } from './command.ts';
import { findLocalService } from './local-service.ts';

/** OPERATOR_URL, else the address of the latest `npm start`. */
export function findOperatorUrl(): string {
  const url = readCommandSettings().operatorUrl ?? findLocalService()?.baseUrl;
  if (!url) throw new UsageError('OPERATOR_URL must say where people reach the page');
  return url;
}
