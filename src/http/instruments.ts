/**
 * Metrics of all kinds: gauges, which are read with the metrics from memory, or from the database with a minimum interval;
 * counters and durations of events. No label grows with the number of organizations, devices or endpoints.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { joined } from '../process/joined.ts';

export type MetricsRegistry = Registry;

export interface Reading {
  labels?: Record<string, string>;
  value: number;
}

interface GaugeOptions {
  name: string;
  help: string;
  labelNames?: readonly string[];
  /** Null: the value is unknown at present, and not shown. */
  read(): Promise<Reading[] | null> | Reading[] | null;
}

export function addGauge(registry: Registry, { name, help, labelNames = [], read }: GaugeOptions): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      const readings = await read();
      this.reset();
      // A gauge without labels would show 0.
      if (labelNames.length === 0) this.remove();
      for (const { labels = {}, value } of readings ?? []) this.set(labels, value);
    },
  });
}

/** No series while the value is unknown. */
export const toReadings = (value: number | null): Reading[] | null => (value === null ? null : [{ value }]);

/** One series for each name; none while the values are unknown. */
export const toReadingsBy = (label: string, values: Record<string, number> | null): Reading[] | null =>
  values && Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));

/**
 * After this time the other metrics are shown, because Prometheus waits for ten seconds. Longer than any
 * check of a dependency.
 */
const WAIT_MS = 3_000;

/** A gap in a series would begin the wait of an alert anew each time that a slow database answers late. */
const KEPT_MS = 120_000;

/**
 * Asks the database at most once per interval, for any number of reads. Without an answer in time, or with a fault, the
 * latest known value is shown for up to two minutes more; null after that.
 */
export function atMostEvery<T>(
  intervalMs: number,
  read: () => Promise<T>,
  waitMs = WAIT_MS,
  keptMs = KEPT_MS,
): () => Promise<T | null> {
  let latest: { atMs: number; value: T } | null = null;
  const refresh = joined(async () => {
    const value = await read().catch(() => null);
    if (value !== null) latest = { atMs: performance.now(), value };
    return value;
  });

  return async () => {
    const knownFor = (ms: number) =>
      latest !== null && performance.now() - latest.atMs < ms ? latest.value : null;
    const known = knownFor(intervalMs);
    if (known !== null) return known;
    const value = await Promise.race([refresh(), delay(waitMs, null, { ref: false })]);
    return value ?? knownFor(intervalMs + keptMs);
  };
}

interface CounterOptions<Label extends string> {
  name: string;
  help: string;
  labelNames?: readonly Label[];
  /** These begin at 0: a series that appears with its first event would seem not to have grown. */
  series?: ReadonlyArray<Record<Label, string>>;
}

export function counterOf<Label extends string>(
  registry: Registry,
  { name, help, series = [], labelNames = Object.keys(series[0] ?? {}) as Label[] }: CounterOptions<Label>,
): Counter<Label> {
  const counter = new Counter({ name, help, labelNames, registers: [registry] });
  for (const labels of series) counter.inc(labels, 0);
  return counter;
}

export const histogramOf = <Label extends string = never>(
  registry: Registry,
  options: { name: string; help: string; labelNames?: readonly Label[]; buckets: number[] },
): Histogram<Label> => new Histogram<Label>({ ...options, registers: [registry] });
