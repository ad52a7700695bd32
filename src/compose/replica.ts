/**
 * Reads that may lag, from the replica if there is one (DATABASE_REPLICA_URL):
 * - readings of the history, of statistics and of exports: devices write them, clients only read
 * - the lists of alerts and of deliveries: the service writes them; one alert or delivery by its id, which a client reads
 *   after it has changed it, comes from the primary
 *
 * All else is read from the primary: lists of what clients create (a client lists after it has created), which assets an
 * export has, keys, and whatever devices are answered from.
 */
import { type Database, type DatabaseOptions, openDatabase } from '../db/database.ts';
import { createReplica } from '../db/replica.ts';
import { openTransferDatabase } from '../db/transfer-database.ts';
import { addReplicaMetrics, type Metrics } from '../http/metrics.ts';
import type { Settings } from '../process/config.ts';
import type { Log } from '../process/log.ts';

export interface ReplicaNeeds {
  settings: Settings;
  log: Log;
  metrics: Metrics;
  database: Omit<DatabaseOptions, 'poolSize'>;
  sql: Database;
  transferSql: Database;
}

const PROBE_TIMEOUT_MS = 2_000;
/** Then the primary is asked. */
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

const MINUTE_MS = 60_000;

/** A replica that is away is looked at twice a second. */
function logOnce(log: Log) {
  let nextAtMs = 0;
  return (err: unknown) => {
    if (performance.now() < nextAtMs) return;
    nextAtMs = performance.now() + MINUTE_MS;
    log.warn({ err }, 'The replica, or the primary behind it, does not answer: the primary serves its reads');
  };
}
