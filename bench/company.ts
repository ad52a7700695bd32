/**
 * `npm run bench:company [-- throughput distributed history recovery]`: several of each process on PostgreSQL and the Temporal server
 * of production. Takes about ten minutes; only a quiet machine says something.
 */
import { type Company, startCompany } from './company/company-stack.ts';
import { benchDistributed } from './company/distributed.ts';
import { benchHistory } from './company/history.ts';
import { benchRecovery } from './company/recovery.ts';
import { benchThroughput } from './company/throughput.ts';
import { runChosen } from './support/run-chosen.ts';

await runChosen<Company>(
  {
    throughput: benchThroughput,
    distributed: benchDistributed,
    history: benchHistory,
    recovery: benchRecovery,
  },
  startCompany,
);
