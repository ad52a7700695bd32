import type { DependencyHealth } from '../http/health.ts';
import type { Sql } from './database.ts';
import { query } from './query.ts';

const TIMEOUT_MS = 2_000;

export async function databaseHealth(sql: Sql): Promise<DependencyHealth> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout')), TIMEOUT_MS);
  });
  try {
    await Promise.race([query(sql, 'select 1'), timeout]);
    return { state: 'ok', message: 'answers' };
  } catch {
    return { state: 'down', message: 'does not answer' };
  } finally {
    clearTimeout(timer);
  }
}
