/**
 * Runs an embedded server as a child that cannot outlive this process: guard.mjs runs between the two.
 * Arguments are visible to every user of the machine, so secrets belong in files or in the environment.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface SuperviseOptions {
  command: string;
  args: string[];
  /** The complete environment of the server; nothing is inherited. */
  env: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** The signal for an orderly shutdown. Default: SIGTERM. */
  stopSignal?: NodeJS.Signals;
  /** How long the shutdown may take before SIGKILL. Default: 5 s. */
  graceMs?: number;
  /** Contains the server's pid while it runs. */
  pidFile?: string;
  /** Removed with its contents once the server has ended. */
  temporaryFolder?: string;
  /** Called with each line of the server's output. */
  log: (line: string) => void;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Supervised {
  /** The guard's pid; the server's own is in the pid file. */
  pid: number | undefined;
  exited: Promise<Exit>;
  /** The last lines of the server's output, for error messages. */
  lastLines(): string[];
  /** Resolves when the server has ended. */
  stop(): Promise<void>;
}

const guardFile = fileURLToPath(new URL('./guard.mjs', import.meta.url));
/** A failing Go program first prints the reason and then its stack. */
const linesKept = 60;

export function supervise(options: SuperviseOptions): Supervised {
  const { env, log, stopSignal = 'SIGTERM', graceMs = 5_000, ...rest } = options;
  const spec = JSON.stringify({ ...rest, stopSignal, graceMs });
  // Uses a session of its own: a kill of this process group must not reach the guard.
  const guard = spawn(process.execPath, [guardFile, spec], { env, detached: true });
  const lines: string[] = [];
  const keep = (line: string) => {
    lines.push(line);
    if (lines.length > linesKept) lines.shift();
    log(line);
  };
  eachLine(guard.stdout, keep);
  eachLine(guard.stderr, keep);
  guard.stdin.on('error', () => {}); // the guard ended first, which `exited` reports

  const exited = new Promise<Exit>((resolve) => {
    guard.once('error', (error) => {
      keep(error.message);
      resolve({ code: 127, signal: null });
    });
    guard.once('close', (code, signal) => resolve({ code, signal }));
    // `close` waits for the end of the output, which another process may keep open.
    guard.once('exit', (code, signal) => {
      void sleep(1_000, undefined, { ref: false }).then(() => resolve({ code, signal }));
    });
  });

  return {
    pid: guard.pid,
    exited,
    lastLines: () => [...lines],
    async stop() {
      guard.stdin.end();
      await exited;
    },
  };
}

export const describeExit = ({ code, signal }: Exit) =>
  signal ? `killed by ${signal}` : `exit code ${code}`;

function eachLine(stream: Readable, onLine: (line: string) => void) {
  createInterface({ input: stream }).on('line', onLine);
}
