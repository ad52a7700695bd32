/**
 * `npm run bench:company [-- throughput distributed]`: several of each process on PostgreSQL
 * and the Temporal server of production. Takes about ten minutes; meaningful only on an idle machine.
 */
import { benchDistributed } from './processes/distributed.ts';
import { type ProcessBench, startProcessBench } from './processes/process-bench.ts';
import { benchThroughput } from './processes/throughput.ts';
import { runChosen } from './support/run-chosen.ts';

await runChosen<ProcessBench>(
  {
    throughput: benchThroughput,
    distributed: benchDistributed,
  },
  startProcessBench,
);
