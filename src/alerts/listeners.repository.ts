/** Who listens to devices, or looks for silent ones: a row for each kind of process, renewed while one of it runs. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Listener, ListenerName } from './listening.ts';

export type ListenersRepository = ReturnType<typeof createListenersRepository>;

export function createListenersRepository(sql: Sql) {
  return {
    /** It is there now; one that was not seen for longer than the gap begins anew. */
    async renew(name: ListenerName, now: Date, gapMs: number): Promise<void> {
      await query(
        sql,
        `insert into listeners as known (name, since, seen_at) values (?, ?::timestamptz, ?::timestamptz)
         on conflict (name) do update set
           since = case when known.seen_at < ?::timestamptz then excluded.since else known.since end,
           seen_at = greatest(known.seen_at, excluded.seen_at)`,
        [name, now.toISOString(), now.toISOString(), new Date(now.getTime() - gapMs).toISOString()],
      );
    },

    list(): Promise<Listener[]> {
      return query(sql, 'select name, since, seen_at as "seenAt" from listeners', []);
    },
  };
}
