/** Runs the command for the typed words; a failure gets one plain sentence and an exit code. */
import { CommanderError } from 'commander';
import { ApiError, ConnectionError } from '../../client/src/index.ts';
import { AppError } from '../process/errors.ts';
import { type Command, CommandFailed, type CommandInput, Interrupted, UsageError } from './command.ts';
import { commandTree, isKnown } from './command-tree.ts';
import { commands } from './commands.ts';
import { EXIT_CODES, exitCodeOf } from './exit-codes.ts';
import { printOutput, toTerminalText } from './print-output.ts';

const CHECK_ADDRESS =
  'Is the service running (npm start), and is this its address? dms doctor checks it, dms login URL names another one.';

export async function runCommandLine(typed: string[]): Promise<void> {
  const [first = 'help', ...others] = typed;
  const tree = commandTree(commands, run);
  // Commander would print the help of all commands for a word that is none.
  const words = first === 'help' ? [...others, ...(isKnown(tree, others) ? ['--help'] : [])] : typed;
  try {
    await tree.parseAsync(words, { from: 'user' });
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

type NetworkError = NodeJS.ErrnoException & { address?: string; hostname?: string; port?: number };

const NO_ANSWER = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ETIMEDOUT'];

/** Null for an unexpected error. Commander has already printed its own messages. */
function faultOf(error: unknown): { message: string; exitCode: number } | null {
  if (error instanceof CommanderError)
    return { message: '', exitCode: error.exitCode === 0 ? 0 : EXIT_CODES.wrongUse };
  if (error instanceof AppError && error.kind === 'not_found')
    return { message: error.message, exitCode: EXIT_CODES.notFound };
  if (error instanceof UsageError || error instanceof AppError)
    return { message: error.message, exitCode: EXIT_CODES.wrongUse };
  if (error instanceof ApiError) return { message: error.message, exitCode: exitCodeOf(error.status) };
  if (error instanceof Interrupted) return { message: '', exitCode: EXIT_CODES.interrupted };
  if (error instanceof CommandFailed) return { message: error.message, exitCode: EXIT_CODES.failed };
  if (error instanceof ConnectionError)
    return { message: `${error.message}\n${CHECK_ADDRESS}`, exitCode: EXIT_CODES.unavailable };
  const { code = '', address, hostname, port } = error as NetworkError;
  if (!NO_ANSWER.includes(code)) return null;
  const at = [address ?? hostname ?? 'the address of the database', port].filter(Boolean).join(':');
  return {
    message: `Nothing answers at ${at}: is the service running (npm start)?`,
    exitCode: EXIT_CODES.unavailable,
  };
}
