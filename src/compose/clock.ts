/** Synchronizes the clock of a process with the database, from before it accepts requests until it closes. */
import { joined } from '../process/joined.ts';
import { type Periodic, startPeriodic } from '../process/periodic.ts';
import type { Resources } from './resources.ts';

const SYNCHRONIZE_EVERY_MS = 10_000;
/** Requests are refused until the clock is known. */
const FIRST_TIME_EVERY_MS = 250;
const AHEAD_WARNED_MS = 5_000;

export function composeClock({ clock, metrics, log, onConnectionLost }: Resources) {
  let running: { first: Promise<void>; periodic: Periodic } | null = null;
  let isWarned = false;
  let isStopped = false;

  /** Joined by all connections that are lost together. */
  const synchronize = joined(async () => {
    await clock.synchronize();
    const aheadMs = clock.processAheadMs() ?? 0;
    metrics.clockAhead.set(aheadMs / 1000);
    const isWrong = Math.abs(aheadMs) > AHEAD_WARNED_MS;
    if (isWrong && !isWarned) {
      log.warn({ aheadMs }, 'The clock of this machine differs from that of the database: is NTP running?');
    }
    isWarned = isWrong;
  });

  const onFault = (err: unknown) =>
    log.warn({ err }, 'The clock of the database was not read: it is tried again');

  const waitMs = () => (clock.processAheadMs() === null ? FIRST_TIME_EVERY_MS : SYNCHRONIZE_EVERY_MS);

  function begin() {
    let end = () => {};
    const first = new Promise<void>((resolve) => {
      end = resolve;
    });
    // Only the periodic reading logs a failure, because many connections are lost at once.
    onConnectionLost(() => void (isStopped || synchronize().catch(() => {})));
    return {
      first,
      periodic: startPeriodic(waitMs, () => synchronize().finally(end), onFault),
    };
  }

  return {
    /** Resolves after the first attempt, even a failed one. */
    start(): Promise<void> {
      running ??= begin();
      return running.first;
    },
    async stop(): Promise<void> {
      isStopped = true;
      await running?.periodic.stop();
    },
  };
}
