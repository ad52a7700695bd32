/**
 * Collects the last attempts of endpoints, so that an endpoint's row is written a few times a second, not
 * once per delivery.
 */
import type { Log } from '../process/log.ts';
import { addCounts } from './attempt-counts.ts';
import { endpointKey } from './endpoint.ts';
import type { LastAttempt } from './endpoint-health.repository.ts';

interface LastAttemptsDeps {
  recordLastAttempts(attempts: LastAttempt[]): Promise<void>;
  log: Log;
}

export interface LastAttempts {
  add(attempt: LastAttempt): void;
  flush(): Promise<void>;
}

const WRITE_INTERVAL_MS = 200;

export function createLastAttempts({ recordLastAttempts, log }: LastAttemptsDeps): LastAttempts {
  const collected = new Map<string, LastAttempt>();
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;

  async function flush(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = null;
    await writing;
    // Statements that write several endpoints lock their rows in this order.
    const batch = [...collected].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, attempt]) => attempt);
    collected.clear();
    writing = recordLastAttempts(batch).catch((err) =>
      log.warn({ err }, 'The last attempts of endpoints were not recorded'),
    );
    await writing;
  }

  return {
    add(attempt) {
      const key = endpointKey(attempt);
      const before = collected.get(key);
      const counts = before ? addCounts(before.counts, attempt.counts) : attempt.counts;
      collected.set(key, { ...attempt, counts });
      timer ??= setTimeout(() => void flush(), WRITE_INTERVAL_MS);
    },
    flush,
  };
}
