/** From the words that were typed to the command; wrong ones get one plain sentence and exit code 2. */
import { AppError } from '../process/errors.ts';
import { type Command, inputOf, UsageError, usage } from './command.ts';
import { commands } from './commands.ts';

const WRONG_USE = 2;

export async function runCommandLine(typed: string[]): Promise<void> {
  if (typed.length === 0 || typed.includes('--help') || typed.includes('-h')) {
    process.stdout.write(usage(commands));
    return;
  }
  try {
    const command = findCommand(typed);
    await command.run(inputOf(command, typed.slice(command.words.length)));
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof AppError)) throw error;
    process.stderr.write(`${error.message.trimEnd()}\n`);
    process.exitCode = WRONG_USE;
  }
}

function findCommand(typed: string[]): Command {
  const command = commands.find(({ words }) => words.every((word, index) => typed[index] === word));
  if (!command) throw new UsageError(`There is no such command. ${usage(commands)}`);
  return command;
}
