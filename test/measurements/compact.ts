import type { Database } from '../../src/db/database.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createCompactionRepository } from '../../src/measurements/compaction.repository.ts';
import { type CompactionDeps, createCompaction } from '../../src/measurements/compaction.service.ts';

/** Compacts all days that are closed; a day that has to be set aside fails the test. */
export const compactClosedDays = (sql: Database, now: () => Date, more: Partial<CompactionDeps> = {}) =>
  createCompaction({
    transact: createTransact(sql),
    compactionIn: createCompactionRepository,
    now,
    onSetAside(_device, error) {
      throw error;
    },
    ...more,
  }).compactClosedDays();
