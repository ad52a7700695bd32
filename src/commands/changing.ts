/** Commands that change something: one transaction, with a row of the audit trail for each change. */

import { createAuditRepository } from '../audit/audit.repository.ts';
import { COMMAND_LINE } from '../audit/audit.ts';
import type { Database } from '../db/database.ts';
import { createTransact, type Transaction } from '../db/transaction.ts';
import type { AuditEntry } from '../http/audit.ts';
import type { Command, CommandInput, Output } from './command.ts';
import { withDatabase } from './with-database.ts';

export type Change = Omit<AuditEntry, 'actor' | 'action'> & { action?: string };

export interface Changed {
  /** Empty when nothing had to be changed. */
  changes: Change[];
  output: Output;
}

type Work = (input: CommandInput, tx: Transaction, database: Database) => Promise<Changed>;

/** `action` is the operationId of the operation with the same effect, if there is one. */
export function changing(action: string, work: Work): Required<Pick<Command, 'action' | 'run'>> {
  return {
    action,
    run: (input) =>
      withDatabase(async (database) => {
        return createTransact(database)(async (tx) => {
          const { changes, output } = await work(input, tx, database);
          for (const change of changes)
            await createAuditRepository(tx.sql).insert({ action, ...change, actor: COMMAND_LINE });
          return output;
        });
      }),
  };
}
