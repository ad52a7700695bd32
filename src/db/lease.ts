/**
 * Makes one process at a time do some work: a row names the process, and the end of its lease. Not an
 * advisory lock: behind PgBouncer connections are shared, and a suspended process would keep its lock.
 *
 * A process that was suspended and continues may finish a statement beside the next holder, so the work
 * itself has to be safe to run twice at a time.
 */
import { randomUUID } from 'node:crypto';
import { startPeriodic } from '../process/periodic.ts';
import type { Database } from './database.ts';

interface LeaseOptions {
  name: string;
  /** How long a process that died keeps the lease at most. The lease is renewed three times in that time. */
  leaseMs: number;
  onFault(error: unknown): void;
}

export type Lease = ReturnType<typeof startLease>;

declare module 'knex/types/tables.js' {
  interface Tables {
    leases: { name: string; owner: string; leased_until: Date };
  }
}

const RENEWALS_PER_LEASE = 3;
/** A lease that ends later than after so many was begun while the clock of the database was ahead. */
const LEASES_AHEAD_MAX = 4;

export function startLease(sql: Database, { name, leaseMs, onFault }: LeaseOptions) {
  const owner = randomUUID();
  const waiting = new Set<(isHeld: boolean) => void>();
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  const isHeld = () => !isStopped && performance.now() < heldUntilMs;
  function notify(): void {
    for (const resolve of waiting) resolve(isHeld());
    waiting.clear();
  }

  async function renew(): Promise<void> {
    // Taken before the statement, so that the lease ends here no later than in the database.
    const askedAtMs = performance.now();
    const isOwner = await acquire(sql, { name, owner, leaseMs });
    heldUntilMs = isOwner ? askedAtMs + leaseMs : Number.NEGATIVE_INFINITY;
    if (isHeld()) notify();
  }
  const renewals = startPeriodic(leaseMs / RENEWALS_PER_LEASE, renew, onFault);

  return {
    isHeld,
    /** Resolves with true once this process holds the lease, and with false when it is stopped. */
    untilHeld: (): Promise<boolean> =>
      isHeld() || isStopped
        ? Promise.resolve(isHeld())
        : new Promise((resolve) => {
            waiting.add(resolve);
          }),
    /** Releases the lease. */
    async stop(): Promise<void> {
      isStopped = true;
      notify();
      await renewals.stop();
      await sql('leases').where({ name, owner }).delete().catch(onFault);
    },
  };
}

interface Wanted {
  name: string;
  owner: string;
  leaseMs: number;
}

async function acquire(sql: Database, { name, owner, leaseMs }: Wanted): Promise<boolean> {
  const leasedUntil = sql.raw('now() + make_interval(secs => ?)', [leaseMs / 1000]);
  const rows = await sql('leases')
    .insert({ name, owner, leased_until: leasedUntil })
    .onConflict('name')
    .merge(['owner', 'leased_until'])
    .whereRaw(
      'leases.owner = excluded.owner or leases.leased_until not between now() and now() + make_interval(secs => ?)',
      [(leaseMs * LEASES_AHEAD_MAX) / 1000],
    )
    .returning('name');
  return rows.length > 0;
}
