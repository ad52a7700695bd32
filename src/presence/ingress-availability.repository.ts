/** Heartbeats and outages of the processes that receive from devices; of the service, not of an organization. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import {
  type AvailabilityRecord,
  type Ingress,
  type IngressHeartbeat,
  OUTAGE_MIN_MS,
  type Outage,
} from './ingress-availability.ts';

/** Longer than the longest deadline of a device. */
const OUTAGES_KEPT = `interval '30 days'`;

export function createIngressAvailabilityRepository(sql: Sql) {
  return {
    /** Renews the heartbeat, and records the outage that it ends. */
    async renew(ingress: Ingress): Promise<void> {
      await query(
        sql,
        `with outage as (
           insert into ingress_outages (ingress, started_at, ended_at)
           select ingress, beat_at, now() from ingress_heartbeats
           where ingress = ? and now() - beat_at > make_interval(secs => ?)
           on conflict do nothing -- another process of that kind was first
         )
         insert into ingress_heartbeats (ingress, beat_at) values (?, now())
         on conflict (ingress) do update set beat_at = excluded.beat_at`,
        [ingress, OUTAGE_MIN_MS / 1_000, ingress],
      );
    },

    async readAvailability(): Promise<AvailabilityRecord> {
      const [clock, heartbeats, outages] = [
        await query<{ now: Date }>(sql, 'select now()'),
        await query<IngressHeartbeat>(sql, 'select ingress, beat_at as "beatAt" from ingress_heartbeats'),
        await query<Outage>(
          sql,
          'select started_at as "startedAt", ended_at as "endedAt" from ingress_outages',
        ),
      ];
      return { now: clock[0]?.now as Date, heartbeats, outages };
    },

    async removeOldOutages(): Promise<void> {
      await query(sql, `delete from ingress_outages where ended_at < now() - ${OUTAGES_KEPT}`);
    },
  };
}
