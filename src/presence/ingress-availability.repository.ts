/**
 * Heartbeats and outages of the processes that receive messages of devices; they belong to the service, not
 * to an organization.
 */
import type { Database } from '../db/database.ts';
import { readClock } from '../db/database-clock.ts';
import { query } from '../db/query.ts';
import { type AvailabilityRecord, type Ingress, OUTAGE_MIN_MS } from './ingress-availability.ts';

declare module 'knex/types/tables.js' {
  interface Tables {
    ingress_heartbeats: { ingress: Ingress; beat_at: Date };
    ingress_outages: { ingress: Ingress; started_at: Date; ended_at: Date };
  }
}

/** Longer than the longest deadline of a device. */
const OUTAGES_KEPT = `interval '30 days'`;

/** The clock of the database decides whether an outage ends; another process of the same kind may have recorded it first. */
const RENEW = `
  with outage as (
    insert into ingress_outages (ingress, started_at, ended_at)
    select ingress, beat_at, now() from ingress_heartbeats
    where ingress = :ingress and now() - beat_at > make_interval(secs => :outageMinSeconds)
    on conflict do nothing
  )
  insert into ingress_heartbeats (ingress, beat_at) values (:ingress, now())
  on conflict (ingress) do update set beat_at = excluded.beat_at`;

export function createIngressAvailabilityRepository(sql: Database) {
  return {
    /** Renews the heartbeat, and records the outage that ends with it. */
    async renew(ingress: Ingress): Promise<void> {
      await query(sql, RENEW, { ingress, outageMinSeconds: OUTAGE_MIN_MS / 1_000 });
    },

    async readAvailability(): Promise<AvailabilityRecord> {
      const now = await readClock(sql);
      const heartbeats = await sql('ingress_heartbeats');
      const outages = await sql('ingress_outages');
      return {
        now,
        heartbeats: heartbeats.map(({ ingress, beat_at }) => ({ ingress, beatAt: beat_at })),
        outages: outages.map(({ started_at, ended_at }) => ({ startedAt: started_at, endedAt: ended_at })),
      };
    },

    /** Also those that were recorded while the clock was ahead: they would count once their end is past. */
    async removeOldOutages(): Promise<void> {
      await sql('ingress_outages')
        .where('ended_at', '<', sql.raw(`now() - ${OUTAGES_KEPT}`))
        .orWhere('ended_at', '>', sql.raw('now() + make_interval(secs => ?)', [OUTAGE_MIN_MS / 1_000]))
        .delete();
    },
  };
}
