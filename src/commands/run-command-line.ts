/** Runs the command for the typed words; wrong ones get one plain sentence and exit code 2. */
import { CommanderError } from 'commander';
import { ApiError } from '../../client/src/index.ts';
import { AppError } from '../process/errors.ts';
import { type Command, CommandFailed, type CommandInput, UsageError } from './command.ts';
import { commandTree } from './command-tree.ts';
import { commands } from './commands.ts';
import { printOutput } from './print-output.ts';

const FAILED = 1;
const WRONG_USE = 2;

export async function runCommandLine(typed: string[]): Promise<void> {
  const [first = 'help', ...others] = typed;
  const words = first === 'help' ? [...others, '--help'] : typed;
  try {
    await commandTree(commands, run).parseAsync(words, { from: 'user' });
  } catch (error) {
    const fault = faultOf(error);
    if (!fault) throw error;
    if (fault.message !== '') process.stderr.write(`${fault.message.trimEnd()}\n`);
    process.exitCode = fault.exitCode;
  }
}

async function run(command: Command, input: CommandInput): Promise<void> {
  const output = await command.run(input);
  if (output !== undefined) printOutput(output, input.isJson);
}

/** Null for an unexpected error. Commander has already printed its own messages. */
function faultOf(error: unknown): { message: string; exitCode: number } | null {
  if (error instanceof CommanderError) return { message: '', exitCode: error.exitCode === 0 ? 0 : WRONG_USE };
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
