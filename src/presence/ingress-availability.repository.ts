/** Who listens to devices, and when nobody did. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { type Ears, GAP_MS, type Gap, type Listener, type ListenerName } from './ingress-availability.ts';

/** Longer than any device may take for its next word. */
const GAPS_KEPT = `interval '30 days'`;

export type ListenersRepository = ReturnType<typeof createListenersRepository>;

export function createListenersRepository(sql: Sql) {
  return {
    /** A process of that kind is there; one that comes back leaves its gap behind. */
    async renew(name: ListenerName): Promise<void> {
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
        [name, GAP_MS / 1_000, name],
      );
    },

    async ears(): Promise<Ears> {
      const [clock, listeners, gaps] = [
        await query<{ now: Date }>(sql, 'select now()'),
        await query<Listener>(sql, 'select name, seen_at as "seenAt" from listeners'),
        await query<Gap>(sql, 'select began_at as "beganAt", ended_at as "endedAt" from listening_gaps'),
      ];
      return { now: clock[0]?.now as Date, listeners, gaps };
    },

    async forgetGaps(): Promise<void> {
      await query(sql, `delete from listening_gaps where ended_at < now() - ${GAPS_KEPT}`);
    },
  };
}
