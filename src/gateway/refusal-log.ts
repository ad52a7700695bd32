import { createBoundedCache } from '../process/bounded-cache.ts';
import { MINUTE_MS } from '../process/durations.ts';
import { createLimitedLog } from '../process/limited-log.ts';
import type { RefusalReason } from './authenticate-device.ts';

export interface Refusal {
  reason: RefusalReason;
  serialNumber: string;
  address: string;
}

const NAMED_MAX = 10_000;
const NAMED_AGAIN_AFTER_MS = 3_600_000;
export const LINES_PER_MINUTE = 20;

/**
 * Names refused devices in the log: each once an hour for each reason, and no more than an operator can read.
 * Metrics count every refusal.
 */
export function createRefusalLog({ warn }: { warn(fields: object, message: string): void }) {
  const named = createBoundedCache<string, true>(NAMED_MAX, { ttl: NAMED_AGAIN_AFTER_MS });
  const write = createLimitedLog<[Refusal]>({
    write: (refusal) => warn(refusal, 'device refused'),
    writeLeftOut: (leftOut) => warn({ leftOut }, 'further devices refused'),
    linesMax: LINES_PER_MINUTE,
    windowMs: MINUTE_MS,
  });
  return (refusal: Refusal): void => {
    const key = `${refusal.reason} ${refusal.serialNumber}`;
    if (!named.has(key) && write(refusal)) named.set(key, true);
  };
}
