/**
 * `npm run bench:company [-- throughput distributed history recovery]`: several of each process on PostgreSQL
 * and the Temporal server of production. Takes about ten minutes; meaningful only on an idle machine.
 */
import { benchDistributed } from './processes/distributed.ts';
import { benchHistory } from './processes/history.ts';
import { type ProcessBench, startProcessBench } from './processes/process-bench.ts';
import { benchRecovery } from './processes/recovery.ts';
import { benchThroughput } from './processes/throughput.ts';
import { runChosen } from './support/run-chosen.ts';

await runChosen<ProcessBench>(
  {
    throughput: benchThroughput,
    distributed: benchDistributed,
    history: benchHistory,
    recovery: benchRecovery,
  },
  startProcessBench,
);
