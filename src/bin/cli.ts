/** `npm run dms -- …`: the command line of operators. */
import { runCommandLine } from '../commands/run-command-line.ts';
import { runMain } from '../process/run-main.ts';

await runMain(() => runCommandLine(process.argv.slice(2)));
