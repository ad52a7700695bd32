/**
 * A streaming standby for reads that may lag. The primary serves them while the standby is away, lags too
 * far, or is no longer a standby; a read that fails on the standby is repeated on the primary.
 *
 * The lag is measured by positions in the log of the primary, so clocks of machines and idle times do not
 * matter.
 */
import knex from 'knex';
import { type Periodic, startPeriodic } from '../process/periodic.ts';
import type { Database } from './database.ts';
import { isRetryable, isUnavailable } from './faults.ts';

interface ReplicaOptions {
  /** For reading log positions only, with a short time limit. */
  primaryProbe: Database;
  replicaProbe: Database;
  lagMaxMs: number;
  monotonicMs(): number;
  /** Null: the lag is unknown. */
  onLag(lagMs: number | null): void;
  onRead(server: 'replica' | 'primary'): void;
  onFault(error: unknown): void;
}

const LOOK_EVERY_MS = 500;

interface Sample {
  position: bigint;
  atMs: number;
}

export function createReplica(options: ReplicaOptions) {
  const { primaryProbe, replicaProbe, lagMaxMs, monotonicMs } = options;
  const { onLag, onRead, onFault } = options;
  let samples: Sample[] = [];
  /** The latest moment of the primary that the replica has reached; null: unknown. */
  let freshAtMs: number | null = null;
  let looks: Periodic | undefined;

  const isFit = () => freshAtMs !== null && monotonicMs() - freshAtMs <= lagMaxMs;

  async function look(): Promise<void> {
    const atMs = monotonicMs();
    const [position, replayed] = await Promise.all([findPosition(primaryProbe), findReplayed(replicaProbe)]);
    samples = samples.filter((sample) => monotonicMs() - sample.atMs <= 2 * lagMaxMs);
    samples.push({ position, atMs });
    const reached = samples.filter((sample) => replayed !== null && sample.position <= replayed);
    freshAtMs = reached.at(-1)?.atMs ?? null;
    onLag(freshAtMs === null ? null : monotonicMs() - freshAtMs);
  }

  function giveUp(error: unknown): void {
    freshAtMs = null;
    onLag(null);
    onFault(error);
  }

  return {
    start(): void {
      looks ??= startPeriodic(LOOK_EVERY_MS, look, giveUp);
    },
    /** Reads from the replica while it is fit, else from the primary: decided statement by statement. */
    readFrom(replica: Database, primary: Database): Database {
      const reads = knex({ client: 'pg' });
      // Has no connections of its own: each statement takes one from the pool that it runs on.
      Object.assign(reads.client, {
        acquireConnection: async () => ({}),
        releaseConnection: async () => {},
        async query(_: unknown, statement: object) {
          const isReplica = isFit();
          onRead(isReplica ? 'replica' : 'primary');
          if (!isReplica) return runOn(primary, statement);
          try {
            return await runOn(replica, statement);
          } catch (error) {
            // PostgreSQL cancels a statement that keeps the replica from replaying, as a serialization
            // failure.
            if (!isRetryable(error) && !isUnavailable(error)) throw error;
            if (isUnavailable(error)) freshAtMs = null;
            return runOn(primary, statement);
          }
        },
      });
      return reads;
    },
    async stop(): Promise<void> {
      await looks?.stop();
    },
  };
}

/** The statement is copied, because Knex numbers its bindings in place. */
async function runOn({ client }: Database, statement: object): Promise<unknown> {
  const connection = await client.acquireConnection();
  try {
    return await client.query(connection, { ...statement });
  } finally {
    await client.releaseConnection(connection);
  }
}

async function findPosition(primary: Database): Promise<bigint> {
  const { position } = await primary.first(primary.raw(`(pg_current_wal_lsn() - '0/0')::text as position`));
  return BigInt(position);
}

/** Null when the server is no standby. */
async function findReplayed(replica: Database): Promise<bigint | null> {
  const { position } = await replica.first(
    replica.raw(
      `case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::text end as position`,
    ),
  );
  return position === null ? null : BigInt(position);
}
