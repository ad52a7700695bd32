/** Who listens to devices, and when nobody did. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import {
  type AvailabilityRecord,
  type Ingress,
  type IngressHeartbeat,
  OUTAGE_MIN_MS,
  type Outage,
} from './ingress-availability.ts';

/** Longer than any device may take for its next word. */
const GAPS_KEPT = `interval '30 days'`;

export type IngressAvailabilityRepository = ReturnType<typeof createIngressAvailabilityRepository>;

export function createIngressAvailabilityRepository(sql: Sql) {
  return {
    /** A process of that kind is there; one that comes back leaves its gap behind. */
    async renew(name: Ingress): Promise<void> {
      await query(
        sql,
        `with gap as (
           insert into ingress_outages (ingress, started_at, ended_at)
           select ingress, beat_at, now() from ingress_heartbeats
           where ingress = ? and now() - beat_at > make_interval(secs => ?)
           on conflict do nothing -- another process of that kind was first
         )
         insert into ingress_heartbeats (ingress, beat_at) values (?, now())
         on conflict (ingress) do update set beat_at = excluded.beat_at`,
        [name, OUTAGE_MIN_MS / 1_000, name],
      );
    },

    async readAvailability(): Promise<AvailabilityRecord> {
      const [clock, listeners, gaps] = [
        await query<{ now: Date }>(sql, 'select now()'),
        await query<IngressHeartbeat>(
          sql,
          'select ingress as name, beat_at as "seenAt" from ingress_heartbeats',
        ),
        await query<Outage>(
          sql,
          'select started_at as "beganAt", ended_at as "endedAt" from ingress_outages',
        ),
      ];
      return { now: clock[0]?.now as Date, listeners, gaps };
    },

    async removeOldOutages(): Promise<void> {
      await query(sql, `delete from ingress_outages where ended_at < now() - ${GAPS_KEPT}`);
    },
  };
}
