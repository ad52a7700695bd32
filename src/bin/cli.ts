/** `npm run dms -- …`: what operators do by command line. */
import { inputOf, UsageError, usage } from '../commands/command.ts';
import { commands } from '../commands/commands.ts';
import { AppError } from '../process/errors.ts';
import { runMain } from '../process/run-main.ts';

await runMain(async () => {
  const typed = process.argv.slice(2);
  if (typed.length === 0 || typed.includes('--help') || typed.includes('-h')) {
    process.stdout.write(usage(commands));
    return;
  }
  try {
    const command = commands.find(({ words }) => words.every((word, index) => typed[index] === word));
    if (!command) throw new UsageError(`There is no such command. ${usage(commands)}`);
    await command.run(inputOf(command, typed.slice(command.words.length)));
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof AppError)) throw error;
    process.stderr.write(`${error.message.trimEnd()}\n`);
    process.exitCode = 2;
  }
});
