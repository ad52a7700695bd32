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
           insert into listening_gaps (listener, began_at, ended_at)
           select name, seen_at, now() from listeners
           where name = ? and now() - seen_at > make_interval(secs => ?)
           on conflict do nothing -- another process of that kind was first
         )
         insert into listeners (name, seen_at) values (?, now())
         on conflict (name) do update set seen_at = excluded.seen_at`,
        [name, OUTAGE_MIN_MS / 1_000, name],
      );
    },

    async readAvailability(): Promise<AvailabilityRecord> {
      const [clock, listeners, gaps] = [
        await query<{ now: Date }>(sql, 'select now()'),
        await query<IngressHeartbeat>(sql, 'select name, seen_at as "seenAt" from listeners'),
        await query<Outage>(sql, 'select began_at as "beganAt", ended_at as "endedAt" from listening_gaps'),
      ];
      return { now: clock[0]?.now as Date, listeners, gaps };
    },

    async removeOldOutages(): Promise<void> {
      await query(sql, `delete from listening_gaps where ended_at < now() - ${GAPS_KEPT}`);
    },
  };
}
