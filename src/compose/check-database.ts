/**
 * Checks, before a process accepts requests, whether it can run on the schema, and how it reaches the
 * database. If the database is away, the check waits in the background, since readiness already reports that.
 */
import type { Database } from '../db/database.ts';
import { isUnavailable } from '../db/faults.ts';
import { findPoolerFault } from '../db/pooler-check.ts';
import { findSchemaFault } from '../db/schema-check.ts';
import type { Settings } from '../process/config.ts';
import type { Log } from '../process/log.ts';
import { startPeriodic } from '../process/periodic.ts';

const AGAIN_MS = 2_000;

export interface DatabaseCheck {
  sql: Database;
  settings: Pick<Settings, 'databasePooler'>;
  log: Log;
  /** A stopping process closes its connections during the check. */
  isStopping(): boolean;
}

/** @throws with the change that would fix it. */
export async function checkDatabase({
  sql,
  settings,
  log,
  isStopping,
}: DatabaseCheck): Promise<{ stop(): Promise<void> }> {
  let isDone = await check(sql, settings);
  if (isDone) return { stop: async () => {} };
  log.warn('The database cannot be reached: its schema is checked as soon as it answers');
  return startPeriodic(
    AGAIN_MS,
    async () => {
      isDone ||= await check(sql, settings);
    },
    (err) => {
      if (isStopping()) return;
      log.fatal({ err }, 'This process cannot run on this database');
      process.exit(1);
    },
  );
}

/** Returns false while the database is away. */
async function check(sql: Database, { databasePooler }: DatabaseCheck['settings']): Promise<boolean> {
  try {
    const fault = (await findPoolerFault(sql, databasePooler)) ?? (await findSchemaFault(sql));
    if (fault !== null) throw new Error(fault);
    return true;
  } catch (error) {
    if (isUnavailable(error)) return false;
    throw error;
  }
}
