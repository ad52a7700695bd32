import { createBoundedCache } from '../process/bounded-cache.ts';
import { MINUTE_MS } from '../process/durations.ts';
import type { RefusalReason } from './authenticate-device.ts';

/**
 * Limits the log lines that strangers can cause: writes a number of lines per window of time, and at its end
 * the number of omitted ones.
 */
interface LimitedLogOptions<Line extends unknown[]> {
  write(...line: Line): void;
  writeLeftOut(count: number): void;
  linesMax: number;
  windowMs: number;
}

/** Returns false when the line was omitted. */
type LimitedLog<Line extends unknown[]> = (...line: Line) => boolean;

export function createLimitedLog<Line extends unknown[]>(options: LimitedLogOptions<Line>): LimitedLog<Line> {
  const { write, writeLeftOut, linesMax, windowMs } = options;
  let isOpen = false;
  let lines = 0;

  function close(): void {
    isOpen = false;
    if (lines > linesMax) writeLeftOut(lines - linesMax);
  }

  return (...line) => {
    if (!isOpen) {
      isOpen = true;
      lines = 0;
      setTimeout(close, windowMs).unref();
    }
    if (++lines > linesMax) return false;
    write(...line);
    return true;
  };
}

export interface Refusal {
  reason: RefusalReason;
  serialNumber: string;
  address: string;
}

interface RefusalLogOptions {
  warn(fields: object, message: string): void;
}

const NAMED_MAX = 10_000;
const NAMED_AGAIN_AFTER_MS = 3_600_000;
export const LINES_PER_MINUTE = 20;

/** Writes a line at most once a minute. */
export const onceAMinute = <Line extends unknown[]>(write: (...line: Line) => void): LimitedLog<Line> =>
  createLimitedLog({ write, writeLeftOut() {}, linesMax: 1, windowMs: MINUTE_MS });

/**
 * Names refused devices in the log: each once an hour for each reason, and no more than an operator can read.
 * Metrics count every refusal.
 */
export function createRefusalLog({ warn }: RefusalLogOptions): (refusal: Refusal) => void {
  const named = createBoundedCache<string, true>(NAMED_MAX, { ttl: NAMED_AGAIN_AFTER_MS });
  const write = createLimitedLog<[Refusal]>({
    write: (refusal) => warn(refusal, 'device refused'),
    writeLeftOut: (leftOut) => warn({ leftOut }, 'further devices refused'),
    linesMax: LINES_PER_MINUTE,
    windowMs: MINUTE_MS,
  });
  return (refusal) => {
    const key = `${refusal.reason} ${refusal.serialNumber}`;
    if (!named.has(key) && write(refusal)) named.set(key, true);
  };
}
