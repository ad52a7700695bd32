/** `npm run dms -- …`: the command line of operators. */
import { endWithoutReader, runCommandLine } from '../commands/run-command-line.ts';
import { runMain } from '../process/run-main.ts';

endWithoutReader();
await runMain(() => runCommandLine(process.argv.slice(2)));
