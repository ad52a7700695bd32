/**
 * Reads that may lag, from the replica if there is one (DATABASE_REPLICA_URL):
 * - readings of the history, of statistics and of exports: devices write them, clients only read
 * - the lists of alerts and of deliveries: the service writes them; a single alert or delivery, which a
 *   client reads after it has changed it, comes from the primary
 *
 * Everything else is read from the primary: lists of things that clients create (a client lists after
 * creating), the assets of an export, keys, and data for answers to devices.
 */
import { type Database, type DatabaseOptions, openDatabase, openTransferDatabase } from '../db/database.ts';
import { createReplica } from '../db/replica.ts';
import { addReplicaMetrics, type Metrics } from '../http/metrics.ts';
import type { Settings } from '../process/config.ts';
import { onceAMinute } from '../process/limited-log.ts';
import type { Log } from '../process/log.ts';

interface ReplicaNeeds {
  settings: Settings;
  log: Log;
  metrics: Metrics;
  database: Omit<DatabaseOptions, 'poolSize'>;
  sql: Database;
  transferSql: Database;
}

const PROBE_TIMEOUT_MS = 2_000;
/** After this time the primary is asked. */
const READ_TIMEOUT_MS = 5_000;

export function composeReplica({ settings, log, metrics, database, sql, transferSql }: ReplicaNeeds) {
  const url = settings.databaseReplicaUrl;
  if (url === null) return { sql, transferSql, start() {}, close: async () => {} };
  const { lag, reads } = addReplicaMetrics(metrics);
  const probe = { poolSize: 1, statementTimeoutMs: PROBE_TIMEOUT_MS };
  const primaryProbe = openDatabase({ ...database, ...probe });
  const standby: typeof database = { ...database, url, pooler: 'none', onConnectionLost() {} };
  const replicaProbe = openDatabase({ ...standby, ...probe });
  const read = { ...standby, statementTimeoutMs: READ_TIMEOUT_MS };
  const replicaSql = openDatabase({ ...read, poolSize: settings.databasePoolSize });
  const replicaTransferSql = openTransferDatabase({ ...read, poolSize: settings.transfers.poolSize });
  const replica = createReplica({
    primaryProbe,
    replicaProbe,
    lagMaxMs: settings.replicaLagMaxMs,
    monotonicMs: () => performance.now(),
    onLag: (lagMs) => lag.set(lagMs === null ? Number.NaN : lagMs / 1000),
    onRead: (server) => reads.inc({ server }),
    onFault: logOnce(log),
  });
  return {
    sql: replica.readFrom(replicaSql, sql),
    transferSql: replica.readFrom(replicaTransferSql, transferSql),
    start: replica.start,
    async close() {
      await replica.stop();
      await Promise.all(
        [primaryProbe, replicaProbe, replicaSql, replicaTransferSql].map((each) => each.destroy()),
      );
    },
  };
}

/** An unavailable replica is checked twice a second. */
const logOnce = (log: Log) =>
  onceAMinute((err: unknown) =>
    log.warn({ err }, 'The replica, or the primary behind it, does not answer: the primary serves its reads'),
  );
