/**
 * Collects the last attempts of endpoints, so that the rows of busy ones are written every other second, not once per
 * delivery. While a dump or another old snapshot is held, each write leaves a version of the row, which every claim and
 * every event for the endpoint reads.
 */
import type { Log } from '../process/log.ts';
import { addCounts, endpointKey } from './endpoint.ts';
import type { LastAttempt } from './endpoint-health.repository.ts';

interface LastAttemptsDeps {
  recordLastAttempts(attempts: LastAttempt[]): Promise<void>;
  log: Log;
}

export type LastAttempts = ReturnType<typeof createLastAttempts>;

/** From the first attempt after a pause to its write, so that it is shown soon. */
const GATHER_MS = 200;
/** From one write to the next. */
const INTERVAL_MS = 2_000;

export function createLastAttempts({ recordLastAttempts, log }: LastAttemptsDeps) {
  const collected = new Map<string, LastAttempt>();
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;

  const write = (attempts: LastAttempt[]): Promise<void> =>
    recordLastAttempts(attempts).catch((err) =>
      log.warn({ err }, 'The last attempts of endpoints were not recorded'),
    );

  function writeCollected(): Promise<void> {
    // Statements that write several endpoints lock their rows in this order.
    const batch = [...collected].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, attempt]) => attempt);
    collected.clear();
    return write(batch);
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = null;
    writing = writing.then(writeCollected);
    return writing;
  }

  function flushWhileBusy(): void {
    timer = null;
    if (collected.size === 0) return;
    void flush();
    timer = setTimeout(flushWhileBusy, INTERVAL_MS);
  }

  /** Writes the attempt now, after the collected ones of its endpoint: a success between two failures ends the first. */
  async function record(attempt: LastAttempt): Promise<void> {
    const key = endpointKey(attempt);
    const before = collected.get(key);
    collected.delete(key);
    if (before) writing = writing.then(() => write([before]));
    await writing;
    await recordLastAttempts([attempt]);
  }

  return {
    /** Collects the attempt, and waits for writes that have begun. Attempts of another outcome or URL are written apart. */
    async add(attempt: LastAttempt): Promise<void> {
      const key = endpointKey(attempt);
      const before = collected.get(key);
      if (before && (before.status !== attempt.status || before.url !== attempt.url)) return record(attempt);
      const counts = before ? addCounts(before.counts, attempt.counts) : attempt.counts;
      const newest = before && before.attemptedAt > attempt.attemptedAt ? before : attempt;
      collected.set(key, { ...newest, counts });
      timer ??= setTimeout(flushWhileBusy, GATHER_MS);
      await writing;
    },
    record,
    flush,
  };
}
