/** The tables that are partitioned by time, which is part of the schema: `src/db/partitions.ts` creates and drops partitions. */
export interface PartitionedTable {
  name: string;
  /** Partitioned by UUIDv7 ids or by times. */
  key: 'id' | 'time';
  span: 'day' | 'month';
  /** Partitions to create before and after the current one. */
  behind: number;
  ahead: number;
}

const byDay = { key: 'id', span: 'day', behind: 1, ahead: 7 } as const;

/** Events and their deliveries. */
export const DELIVERY_TABLES: readonly PartitionedTable[] = [
  { name: 'events', ...byDay },
  { name: 'deliveries', ...byDay },
  { name: 'delivery_attempts', ...byDay },
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
