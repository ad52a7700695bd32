import type { Sql } from './database.ts';
import { query } from './query.ts';

const TIMEOUT_MS = 2_000;

/** Whether the database answers in time; never throws. */
export async function isDatabaseUp(sql: Sql): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, TIMEOUT_MS, false);
  });
  const answer = query(sql, 'select 1').then(
    () => true,
    () => false,
  );
  return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
}
