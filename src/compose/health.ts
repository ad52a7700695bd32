/** Whether a process can work: the dependencies of each kind. */
import { isDatabaseUp } from '../db/health.ts';
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
