import {
  createPartitionKeeper,
  dropEmptyPartitions,
  MEASUREMENT_ROWS,
  MEASUREMENTS,
} from '../db/partitions.ts';
import { createTransact } from '../db/transaction.ts';
import { createCompactionRepository } from '../measurements/compaction.repository.ts';
import { createRowMoveRepository } from '../measurements/row-move.repository.ts';
import { moveRows } from '../measurements/row-move.service.ts';
import { createStoredKeysRepository } from '../measurements/stored-keys.repository.ts';
import { type Command, print } from './command.ts';
import { withDatabase } from './with-database.ts';

const PRINTED_EVERY = 100_000;

export const readingCommands: Command[] = [
  {
    words: ['readings', 'move'],
    args: '',
    summary:
      'moves readings of earlier versions into blocks; the service may run, and it may be stopped and repeated',
    run: () =>
      withDatabase(async (sql) => {
        let printed = 0;
        const moved = await moveRows({
          sql,
          transact: createTransact(sql),
          rowsIn: createRowMoveRepository,
          blocksIn: createCompactionRepository,
          storedKeysIn: createStoredKeysRepository,
          partitions: createPartitionKeeper(sql, MEASUREMENTS),
          onProgress(count) {
            if (count - printed < PRINTED_EVERY) return;
            printed = count;
            print(`${count} readings moved`);
          },
        });
        const dropped = await dropEmptyPartitions(sql, MEASUREMENT_ROWS);
        return `${moved} readings moved, ${dropped.length} empty partitions dropped`;
      }),
  },
];
