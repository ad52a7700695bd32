/**
 * Counters and durations of events. No label grows with the number of organizations, devices or endpoints.
 */
import { Counter, Histogram, type Registry } from 'prom-client';

export interface CounterOptions<Label extends string> {
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
