/** Metrics of each process about itself, whichever parts it runs. */
import { atMostEvery } from '../http/gauges.ts';
import type { ReadReadiness } from '../http/health.ts';
import { addProcessGauges } from '../http/process-gauges.ts';
import { createOverdueFleetsRepository } from '../presence/overdue-fleets.repository.ts';
import { addPresenceGauge } from '../presence/presence.metrics.ts';
import { VERSION } from '../process/version.ts';
import type { Resources } from './resources.ts';

export type ProcessKind = 'api' | 'gateway' | 'worker';

export function composeProcessMetrics(
  { metrics, settings, sql, timeZoneRules }: Resources,
  { kinds, readReadiness }: { kinds: ReadonlySet<ProcessKind>; readReadiness: ReadReadiness },
): void {
  const atMost = <T>(read: () => Promise<T>) => atMostEvery(settings.metricsMaxAgeMs, read);
  addProcessGauges(metrics, {
    version: VERSION,
    timeZoneRules,
    kinds: () => kinds,
    dependencies: atMost(async () => (await readReadiness()).body.dependencies),
  });
  addPresenceGauge(metrics.registry, atMost(createOverdueFleetsRepository(sql).count));
}
