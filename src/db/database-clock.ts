/**
 * The clock of the database, as known by this process. Stored and compared times are taken from it, so that a
 * machine with a wrong clock does no harm.
 */
import type { Database, Sql } from './database.ts';
import { neverConnected } from './faults.ts';
import { query } from './query.ts';

interface DatabaseClockDeps {
  sql: Sql;
  /** Compared with the database's clock, never used in its place. */
  processNow(): Date;
  /** Never adjusted, so time passes evenly between two comparisons. */
  monotonicMs(): number;
}

/** The shortest round trip is the most exact: the error is at most half of it. */
const SAMPLES = 5;

interface Sample {
  roundTripMs: number;
  /** Difference between the database's clock and the monotonic one. */
  offsetMs: number;
}

export function createDatabaseClock({ sql, processNow, monotonicMs }: DatabaseClockDeps) {
  let offsetMs: number | null = null;

  async function takeSample(): Promise<Sample> {
    const sentMs = monotonicMs();
    const rows = await query<{ ms: number }>(
      sql,
      'select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms',
    );
    const roundTripMs = monotonicMs() - sentMs;
    return { roundTripMs, offsetMs: (rows[0]?.ms as number) - sentMs - roundTripMs / 2 };
  }

  function now(): Date {
    if (offsetMs === null) throw neverConnected('It has not told the time since this process was started');
    return new Date(offsetMs + monotonicMs());
  }

  return {
    /** @throws until the database has answered once: a time by another clock would be stored for good */
    now,
    /** How far the process's own clock is ahead; null until the database has answered. */
    processAheadMs: () => (offsetMs === null ? null : processNow().getTime() - now().getTime()),
    /** Compares both clocks again: after a failover, another server's clock counts. */
    async synchronize(): Promise<void> {
      let best = await takeSample();
      for (let count = 1; count < SAMPLES; count++) {
        const sample = await takeSample();
        if (sample.roundTripMs < best.roundTripMs) best = sample;
      }
      offsetMs = best.offsetMs;
    },
  };
}

/** The clock by which the transaction stores times. */
export async function readClock(sql: Database): Promise<Date> {
  const { now } = await sql.first({ now: sql.fn.now() });
  return now;
}
