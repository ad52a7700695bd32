/** Gauges of each process about itself, whatever its kind. */
import type { PoolState } from '../db/database.ts';
import { addGauge, type Reading } from './instruments.ts';
import type { Metrics } from './metrics.ts';

interface ProcessSources {
  version: string;
  /** Release of the time zone database; null: unknown. */
  timeZoneRules: string | null;
  /** Parts that the process has started: `api`, `gateway`, `worker`. */
  kinds(): Iterable<string>;
  /** Null while unknown. */
  dependencies(): Promise<Record<string, { state: string }> | null>;
}

export function addProcessGauges({ registry, pools, queues }: Metrics, sources: ProcessSources): void {
  addGauge(registry, {
    name: 'dms_process_info',
    help: 'Always 1: the kind of the process, its version, and the release of its time zone rules',
    labelNames: ['kind', 'version', 'time_zone_rules'],
    read() {
      const { version, timeZoneRules } = sources;
      const labels = { version, time_zone_rules: timeZoneRules ?? 'unknown' };
      return [...sources.kinds()].map((kind) => ({ labels: { kind, ...labels }, value: 1 }));
    },
  });
  addGauge(registry, {
    name: 'dms_dependency_up',
    help: 'Whether the process reaches what it depends on: 1 or 0',
    labelNames: ['dependency'],
    async read() {
      const states = Object.entries((await sources.dependencies()) ?? {});
      return states.map(([dependency, { state }]) => ({
        labels: { dependency },
        value: Number(state === 'ok'),
      }));
    },
  });
  addGauge(registry, {
    name: 'dms_group_commit_waiting',
    help: 'Items that wait for the next batch',
    labelNames: ['queue'],
    read: () => [...queues].map(([queue, count]) => ({ labels: { queue }, value: count() })),
  });
  addPoolGauges(registry, pools);
}

function addPoolGauges(registry: Metrics['registry'], pools: Metrics['pools']): void {
  const readAll = (toReadingsOf: (pool: string, state: PoolState) => Reading[]) => () =>
    [...pools].flatMap(([pool, readPool]) => {
      const state = readPool();
      return state ? toReadingsOf(pool, state) : [];
    });
  addGauge(registry, {
    name: 'dms_database_connections',
    help: 'Connections of a pool: used, or idle',
    labelNames: ['pool', 'state'],
    read: readAll((pool, { used, idle }) => [
      { labels: { pool, state: 'used' }, value: used },
      { labels: { pool, state: 'idle' }, value: idle },
    ]),
  });
  addGauge(registry, {
    name: 'dms_database_connections_max',
    help: 'Connections that a pool may have',
    labelNames: ['pool'],
    read: readAll((pool, { max }) => [{ labels: { pool }, value: max }]),
  });
  addGauge(registry, {
    name: 'dms_database_waiting',
    help: 'Callers that wait for a connection of a pool',
    labelNames: ['pool'],
    read: readAll((pool, { waiting }) => [{ labels: { pool }, value: waiting }]),
  });
}
