/**
 * Pages of jobs, targets, alerts and deliveries, and of all assets; first an answer of a few rows, for
 * comparison.
 */
import { measurePages } from './page-latency.ts';
import type { SizeBench } from './size-bench.ts';

export const benchLists = (bench: SizeBench): Promise<void> => {
  const { jobId, heldEndpointId, healthyEndpointId } = bench;
  const healthy = `/webhooks/${healthyEndpointId}/deliveries?`;
  return measurePages(bench, 'Lists', [
    { name: 'profiles', path: '/profiles', isWhole: true },
    { name: 'assets', path: '/assets?' },
    { name: 'assets of a model', path: '/assets?model=TVO-T&' },
    { name: 'jobs', path: '/devices/config-jobs?' },
    { name: 'targets', path: `/devices/config-jobs/${jobId}/targets?` },
    { name: 'failed targets', path: `/devices/config-jobs/${jobId}/targets?state=failed&` },
    { name: 'alerts', path: '/alerts?' },
    { name: 'new alerts', path: '/alerts?status=new&' },
    { name: 'held deliveries', path: `/webhooks/${heldEndpointId}/deliveries?state=held&` },
    { name: 'deliveries', path: healthy, organization: 1 },
    { name: 'failed deliveries', path: `${healthy}state=failed&`, organization: 1 },
  ]);
};
