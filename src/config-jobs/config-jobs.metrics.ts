import { addGauge, counterOf, type MetricsRegistry, toReadingsBy } from '../http/instruments.ts';
import type { RunningJobCounts } from './job-runs.repository.ts';

export const createJobMetrics = (registry: MetricsRegistry) => ({
  jobsStarted: counterOf(registry, {
    name: 'dms_config_jobs_started_total',
    help: 'Job workflows started',
    series: [{}],
  }),
});

export function addJobGauges(registry: MetricsRegistry, count: () => Promise<RunningJobCounts | null>): void {
  addGauge(registry, {
    name: 'dms_config_jobs',
    help: 'Jobs that are running, up to 10,000; of these, those past their deadline, and those that no run has checked for ten minutes',
    labelNames: ['state'],
    async read() {
      const jobs = await count();
      return toReadingsBy(
        'state',
        jobs && { running: jobs.running, overdue: jobs.overdue, without_run: jobs.withoutRun },
      );
    },
  });
}
