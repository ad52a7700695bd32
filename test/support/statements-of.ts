/** The statements of some work, for tests that count them. */
import type { Database } from '../../src/db/database.ts';

/** What a process sends by the clock falls into any work, on a slow machine more often. The last use of a key is written beside any work. */
const BESIDE = /clock_timestamp\(\)|ingress_heartbeats|update "api_keys"/;
const BRACKET = /^(BEGIN|COMMIT);$/;

/** Without BEGIN and COMMIT, and without what is sent beside any work. */
export async function statementsOf(sql: Database, work: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  const note = ({ sql: text }: { sql: string }) => {
    if (!BESIDE.test(text) && !BRACKET.test(text)) seen.push(text);
  };
  sql.on('query', note);
  await work().finally(() => sql.off('query', note));
  return seen;
}
