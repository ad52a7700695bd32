/** Waits until a new server serves; if it ends instead, the error contains its last lines. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describeExit, type Exit, type Supervised } from './supervise.ts';

export interface Serving {
  name: string;
  timeoutMs: number;
  /** Whether the server serves; throws when it never will. */
  probe: () => Promise<boolean>;
}

/** The server did not start, and is already stopped. */
export class StartError extends Error {}

const pauseMs = 40;

export async function untilServing(server: Supervised, { name, timeoutMs, probe }: Serving): Promise<void> {
  let exit: Exit | undefined;
  void server.exited.then((value) => {
    exit = value;
  });
  const deadline = Date.now() + timeoutMs;
  try {
    while (!(await probe())) {
      if (exit) throw new StartError(`${name} ended while it started (${describeExit(exit)})${tail(server)}`);
      if (Date.now() > deadline) {
        throw new StartError(`${name} does not answer after ${timeoutMs / 1000} s${tail(server)}`);
      }
      await sleep(pauseMs);
    }
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function tail(server: Supervised): string {
  const lines = server.lastLines();
  return lines.length === 0
    ? ' without output.'
    : `. Its last lines:\n${lines.map((l) => `  ${l}`).join('\n')}`;
}
