/** From the words that were typed to the command; wrong ones get one plain sentence and exit code 2. */
import { ApiError } from '../../client/src/index.ts';
import { AppError } from '../process/errors.ts';
import { type Command, inputOf, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { helpOf } from './help.ts';
import { printOutput } from './print-output.ts';

const FAILED = 1;
const WRONG_USE = 2;
const HELP = new Set(['--help', '-h', 'help']);

export async function runCommandLine(typed: string[]): Promise<void> {
  if (typed.length === 0 || typed.some((word) => HELP.has(word))) {
    process.stdout.write(helpOf(commandsOf(typed.filter((word) => !HELP.has(word)))));
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

/** Null for what no command expects. */
function faultOf(error: unknown): { message: string; exitCode: number } | null {
  if (error instanceof UsageError || error instanceof AppError)
    return { message: error.message, exitCode: WRONG_USE };
  if (error instanceof ApiError) return { message: error.message, exitCode: FAILED };
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

/** Those that begin with as many of the words as any does. */
function commandsOf(words: string[]): Command[] {
  const isBegun = (count: number) =>
    commands.filter((command) => words.slice(0, count).every((word, index) => command.words[index] === word));
  const exact = commands.find((command) => command.words.every((word, index) => words[index] === word));
  if (exact) return [exact];
  const begun = isBegun(1);
  return words.length > 0 && begun.length > 0 ? begun : commands;
}
