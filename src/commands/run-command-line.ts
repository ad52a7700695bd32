/** From the words that were typed to the command; wrong ones get one plain sentence and exit code 2. */
import { ApiError } from '../../client/src/index.ts';
import { AppError } from '../process/errors.ts';
import { type Command, CommandFailed, inputOf, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { helpOf } from './help.ts';
import { printOutput } from './print-output.ts';

const FAILED = 1;
const WRONG_USE = 2;
const HELP = ['--help', '-h'];

export async function runCommandLine(typed: string[]): Promise<void> {
  if (asksForHelp(typed)) {
    const about = typed[0] === 'help' ? typed.slice(1) : typed;
    process.stdout.write(helpOf(commandsOf(about.filter((word) => !HELP.includes(word)))));
    return;
  }
  try {
    const command = findCommand(typed);
    const input = inputOf(command, typed.slice(command.words.length));
    const output = await command.run(input);
    if (output !== undefined) printOutput(output, input.isJson);
  } catch (error) {
    const fault = faultOf(error);
    if (!fault) throw error;
    process.stderr.write(`${fault.message.trimEnd()}\n`);
    process.exitCode = fault.exitCode;
  }
}

/** `help` may also be the name of something, and what follows `--` is no option of ours. */
function asksForHelp(typed: string[]): boolean {
  const end = typed.indexOf('--');
  const options = end === -1 ? typed : typed.slice(0, end);
  return typed.length === 0 || typed[0] === 'help' || options.some((word) => HELP.includes(word));
}

/** Null for what no command expects. */
function faultOf(error: unknown): { message: string; exitCode: number } | null {
  if (error instanceof UsageError || error instanceof AppError)
    return { message: error.message, exitCode: WRONG_USE };
  if (error instanceof ApiError || error instanceof CommandFailed)
    return { message: error.message, exitCode: FAILED };
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'ECONNREFUSED')
    return {
      message: `Nothing answers at ${address}:${port}: is the service running (npm start)?`,
      exitCode: FAILED,
    };
  const isUnreachable = error instanceof TypeError && error.cause instanceof Error;
  if (!isUnreachable) return null;
  return { message: `The API cannot be reached: ${(error.cause as Error).message}`, exitCode: FAILED };
}

const findCommand = (typed: string[]): Command => {
  const command = commands.find(({ words }) => words.every((word, index) => typed[index] === word));
  if (!command) throw new UsageError(`There is no such command.\n\n${helpOf(commandsOf(typed.slice(0, 1)))}`);
  return command;
};

/** The command of these words, or else all that begin with the first one; all when none does. */
function commandsOf(words: string[]): Command[] {
  const exact = commands.find((command) => command.words.every((word, index) => words[index] === word));
  if (exact) return [exact];
  const group = commands.filter((command) => command.words[0] === words[0]);
  return group.length > 0 ? group : commands;
}
