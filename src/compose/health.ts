/** Whether a process can work: the dependencies of each kind. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import type { HealthChecks } from '../http/health.ts';
import type { Resources } from './resources.ts';

/** Without the database nothing works; without Temporal, changes are accepted and wait. */
export const healthChecks = ({ sql, temporal }: Resources): HealthChecks => ({
  database: async () =>
    (await isDatabaseUp(sql))
      ? { state: 'ok', message: 'answers' }
      : { state: 'down', message: 'does not answer' },
  temporal: async () =>
    (await temporal.isUp())
      ? { state: 'ok', message: 'answers' }
      : { state: 'degraded', message: 'does not answer: jobs are accepted and start when it is back' },
});

const TIMEOUT_MS = 2_000;

/** Whether the database answers in time; never throws. */
function isDatabaseUp(sql: Database): Promise<boolean> {
  const answer = sql.select(sql.raw('1')).then(
    () => true,
    () => false,
  );
  return Promise.race([answer, delay(TIMEOUT_MS, false, { ref: false })]);
}
