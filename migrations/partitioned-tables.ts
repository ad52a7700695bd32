/** The tables that are partitioned by time, which is part of the schema: `src/db/partitions.ts` creates and drops partitions. */
export interface PartitionedTable {
  name: string;
  /** Partitioned by UUIDv7 ids or by times. */
  key: 'id' | 'time';
  span: 'day' | 'month';
  /** Partitions to create before and after the current one. */
  behind: number;
  ahead: number;
  /** Storage parameters of each partition, as in the function `storage_of_partition`; by default none. */
  storage?: string;
}

const byDay = { key: 'id', span: 'day', behind: 1, ahead: 7 } as const;

/** Events and their deliveries. */
export const DELIVERY_TABLES: readonly PartitionedTable[] = [
  { name: 'events', ...byDay, storage: 'autovacuum_vacuum_insert_threshold = -1' },
  {
    name: 'deliveries',
    ...byDay,
    storage: 'autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 10000',
  },
  { name: 'delivery_attempts', ...byDay, storage: 'autovacuum_vacuum_insert_threshold = -1' },
];

export const MEASUREMENTS: PartitionedTable = {
  name: 'measurement_blocks',
  key: 'time',
  span: 'month',
  behind: 0,
  ahead: 2,
};

export const AUDIT_ENTRIES: PartitionedTable = {
  name: 'audit_entries',
  key: 'id',
  span: 'month',
  behind: 1,
  ahead: 2,
};

export const PARTITIONED_TABLES: readonly PartitionedTable[] = [
  ...DELIVERY_TABLES,
  MEASUREMENTS,
  AUDIT_ENTRIES,
];
