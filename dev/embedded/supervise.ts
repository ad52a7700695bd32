/**
 * Runs an embedded server as a child that cannot outlive this process: see guard.mjs, which sits between the two.
 * Arguments are visible to everybody on the machine; secrets belong into files or the environment.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface SuperviseOptions {
  command: string;
  args: string[];
  /** The whole environment of the server; nothing is inherited. */
  env: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** What ends the server in an orderly way; SIGTERM. */
  stopSignal?: NodeJS.Signals;
  /** How long it may take to do so before SIGKILL; 5 s. */
  graceMs?: number;
  /** Holds the server's pid while it runs. */
  pidFile?: string;
  /** Gets each line of the server's output. */
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
  /** The server's last lines, for the error that says why it ended. */
  lastLines(): string[];
  /** Resolves when the server is gone. */
  stop(): Promise<void>;
}

const guardFile = fileURLToPath(new URL('./guard.mjs', import.meta.url));
const linesKept = 20;

export function supervise(options: SuperviseOptions): Supervised {
  const { env, log, stopSignal = 'SIGTERM', graceMs = 5_000, ...rest } = options;
  const spec = JSON.stringify({ ...rest, stopSignal, graceMs });
  // A session of its own: whoever kills our process group must not take the guard along.
  const guard = spawn(process.execPath, [guardFile, spec], { env, detached: true });
  const lines: string[] = [];
  const keep = (line: string) => {
    lines.push(line);
    if (lines.length > linesKept) lines.shift();
    log(line);
  };
  eachLine(guard.stdout, keep);
  eachLine(guard.stderr, keep);
  guard.stdin.on('error', () => {}); // it ended first; `exited` tells

  const exited = new Promise<Exit>((resolve) => {
    guard.once('error', (error) => {
      keep(error.message);
      resolve({ code: 127, signal: null });
    });
    guard.once('close', (code, signal) => resolve({ code, signal }));
    // `close` waits for the output's end, which never comes when somebody else still holds it.
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

function eachLine(stream: Readable, take: (line: string) => void) {
  createInterface({ input: stream }).on('line', take);
}
