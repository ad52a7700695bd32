/** Runs the command for the typed words; a failure gets one plain sentence and an exit code. */
import { CommanderError } from 'commander';
import { ApiError, ConnectionError } from '../../client/src/index.ts';
import { AppError } from '../process/errors.ts';
import { type Command, CommandFailed, type CommandInput, UsageError } from './command.ts';
import { commandTree } from './command-tree.ts';
import { commands } from './commands.ts';
import { EXIT_CODES, exitCodeOf } from './exit-codes.ts';
import { printOutput, toTerminalText } from './print-output.ts';

const CHECK_ADDRESS =
  'Is the service running (npm start), and is this its address? dms doctor checks it, dms login URL names another one.';

export async function runCommandLine(typed: string[]): Promise<void> {
  const [first = 'help', ...others] = typed;
  const words = first === 'help' ? [...others, '--help'] : typed;
  try {
    await commandTree(commands, run).parseAsync(words, { from: 'user' });
  } catch (error) {
    const fault = faultOf(error);
    if (!fault) throw error;
    if (fault.message !== '') process.stderr.write(`${toTerminalText(fault.message.trimEnd())}\n`);
    process.exitCode = fault.exitCode;
  }
}

async function run(command: Command, input: CommandInput): Promise<void> {
  const output = await command.run(input);
  if (output !== undefined) printOutput(output, input.isJson);
}

/** Null for an unexpected error. Commander has already printed its own messages. */
function faultOf(error: unknown): { message: string; exitCode: number } | null {
  if (error instanceof CommanderError)
    return { message: '', exitCode: error.exitCode === 0 ? 0 : EXIT_CODES.wrongUse };
  if (error instanceof UsageError || error instanceof AppError)
    return { message: error.message, exitCode: EXIT_CODES.wrongUse };
  if (error instanceof ApiError) return { message: error.message, exitCode: exitCodeOf(error.status) };
  if (error instanceof CommandFailed) return { message: error.message, exitCode: EXIT_CODES.failed };
  if (error instanceof ConnectionError)
    return { message: `${error.message}\n${CHECK_ADDRESS}`, exitCode: EXIT_CODES.unavailable };
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code !== 'ECONNREFUSED') return null;
  return {
    message: `Nothing answers at ${address}:${port}: is the service running (npm start)?`,
    exitCode: EXIT_CODES.unavailable,
  };
}
