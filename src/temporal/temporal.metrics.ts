import { counterOf, type MetricsRegistry } from '../http/instruments.ts';

const CALLS = [
  ...['start', 'signal', 'recover', 'sweep jobs', 'sweep endpoints', 'sweep withdrawals'],
  ...['start escalation', 'signal escalation', 'sweep escalations'],
];

export const createTemporalMetrics = (registry: MetricsRegistry) => ({
  temporalErrors: counterOf(registry, {
    name: 'dms_temporal_errors_total',
    help: 'Failed calls to Temporal; a sweep repeats them',
    series: CALLS.map((call) => ({ call })),
  }),
  runsRestarted: counterOf(registry, {
    name: 'dms_runs_restarted_total',
    help: 'Runs of jobs, endpoints, escalations and withdrawals that a sweep started, by how the run before had ended: failed, terminated, …; none: there was none; blocked: its code failed, elsewhere: it waited on another task queue, stuck: its work should have ended long ago, and it was replaced',
    series: ['apply-profile', 'deliver-webhooks', 'escalate-alert', 'withdraw-profile'].flatMap((workflow) =>
      ['none', 'failed', 'terminated', 'timed_out', 'blocked', 'elsewhere', 'stuck'].map((last) => ({
        workflow,
        last,
      })),
    ),
  }),
});
