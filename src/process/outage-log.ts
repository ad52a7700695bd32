/**
 * A log that reports an outage once a minute, with the number of failures that it caused. Otherwise each
 * request, frame and sweep that fails meanwhile would write a line with a stack; these lines go to the level
 * `debug`. Any other fault is logged unchanged.
 */
import { MINUTE_MS } from './durations.ts';
import type { Log } from './log.ts';

interface OutageLogOptions {
  /** The unavailable dependency, by an error that it caused; null for any other error. */
  findOutage(error: unknown): Outage | null;
}

export interface Outage {
  dependency: string;
  /** The cause, in one sentence. */
  reason: string;
}

export function summarizeOutages(log: Log, { findOutage }: OutageLogOptions): Log {
  /** Failures since the last line, by dependency. */
  const failures = new Map<string, { count: number; reason: string }>();

  function write(dependency: string, reason: string, count: number): void {
    log.warn(
      { dependency, reason, failures: count },
      `${dependency} is away: work waits, and is tried again`,
    );
  }

  function add({ dependency, reason }: Outage): void {
    const known = failures.get(dependency);
    if (known) {
      known.count++;
      known.reason = reason;
      return;
    }
    write(dependency, reason, 1);
    begin(dependency);
  }

  function begin(dependency: string): void {
    failures.set(dependency, { count: 0, reason: '' });
    setTimeout(end, MINUTE_MS, dependency).unref();
  }

  function end(dependency: string): void {
    const { count = 0, reason = '' } = failures.get(dependency) ?? {};
    failures.delete(dependency);
    if (count === 0) return;
    write(dependency, reason, count);
    begin(dependency);
  }

  const summarizing = (level: 'warn' | 'error') =>
    function logOrAdd(this: Log, ...args: unknown[]): void {
      const outage = findOutage((args[0] as { err?: unknown } | null)?.err);
      if (outage) add(outage);
      Reflect.apply(log[outage ? 'debug' : level], this, args);
    };
  return Object.assign(Object.create(log) as Log, {
    warn: summarizing('warn'),
    error: summarizing('error'),
  });
}
