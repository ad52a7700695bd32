import { MINUTE_MS } from './durations.ts';

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

/** Writes a line at most once a minute. */
export const onceAMinute = <Line extends unknown[]>(write: (...line: Line) => void): LimitedLog<Line> =>
  createLimitedLog({ write, writeLeftOut() {}, linesMax: 1, windowMs: MINUTE_MS });
