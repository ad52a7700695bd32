/**
 * Servers whose guard was killed with -9: such a server keeps its data folder in use, and the next start on
 * that data stops it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine, isAlive, parentOf } from './process-status.ts';

export interface Orphan {
  /** Name in messages: PostgreSQL. */
  name: string;
  pid: number;
  /** A part of the command line that identifies an embedded server on this data. */
  startedAs: string;
  /** The signal for an orderly shutdown. */
  stopSignal: NodeJS.Signals;
  graceMs: number;
}

/**
 * Stops the server if it was started here and its guard is gone; otherwise leaves it alone and returns false.
 */
export async function stopOrphan(
  { name, pid, startedAs, stopSignal, graceMs }: Orphan,
  print: (line: string) => void,
): Promise<boolean> {
  if (!commandLine(pid)?.includes(startedAs) || hasGuard(pid)) return false;
  print(`${name}: process ${pid} was left running by an earlier start on this data; it is stopped first`);
  const deadline = Date.now() + graceMs;
  signal(pid, stopSignal);
  while (isAlive(pid)) {
    if (Date.now() > deadline) signal(-pid, 'SIGKILL');
    await sleep(50);
  }
  return true;
}

/** True also when the parent cannot be seen. */
function hasGuard(pid: number): boolean {
  const parent = parentOf(pid);
  if (parent === 1) return false;
  const command = parent === undefined ? undefined : commandLine(parent);
  return command?.includes('guard.mjs') ?? true;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended just before the signal.
  }
}
