/** `npm run bench [-- reads import apply withdraw hostile operator]`: each bench prints one table. Takes a few minutes on 2 cores. */
import { benchApply } from './apply.ts';
import { benchHostile } from './hostile.ts';
import { benchImport } from './import.ts';
import { benchOperator } from './operator.ts';
import { benchReads } from './reads.ts';
import { runChosen } from './support/run-chosen.ts';
import { type BenchStack, startStack } from './support/stack.ts';
import { benchWithdraw } from './withdraw.ts';

await runChosen<BenchStack>(
  {
    reads: benchReads,
    import: benchImport,
    apply: (stack) => benchApply(stack),
    withdraw: benchWithdraw,
    hostile: benchHostile,
    operator: benchOperator,
  },
  (onStop) => startStack(onStop, { OPERATOR_URL: 'http://127.0.0.1' }),
);
