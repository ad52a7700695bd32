/**
 * The service as its operators run it: `npm start`, `npm run api` and `npm run worker` by the very commands of
 * package.json, each a process of its own that may be killed in any way.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { LocalInstance } from '../../dev/local/local-instance.ts';
import type { Settings } from '../../src/process/config.ts';
import { createClient } from './client.ts';
import type { TestOrganization } from './service.ts';

export interface Running {
  pid: number;
  /** Everything that it has written so far. */
  output(): string;
  /** Resolves with the first line that matches, also one that was written before; fails when it ends without it. */
  line(pattern: RegExp): Promise<string>;
  /** Its exit code; null when a signal ended it. */
  exited: Promise<number | null>;
  isRunning(): boolean;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; durationMs: number }>;
}

export interface Stack extends Running {
  local: LocalInstance;
  organization: TestOrganization;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

const processes: ChildProcess[] = [];
const folders: string[] = [];

type Script = 'start' | 'api' | 'worker' | 'demo';

const VALIDATED = '--import=tsx --import=./test/support/validate-events.mjs';

/** Starts what the npm script says, without npm and its shell in between; an invalid event ends the process. */
export function run(script: Script, env: Record<string, string>): Running {
  const command = (scripts[script] as string).replace(/^exec /, '').replace('--import=tsx', VALIDATED);
  return launch(command.split(' '), env);
}

/** With npm and its shell in between. */
const runByNpm = (script: Script, env: Record<string, string>) =>
  launch(['npm', 'run', '--silent', script], env);

/** Takes nothing of our environment but the way to programs and caches. */
function launch([command = '', ...args]: string[], env: Record<string, string>): Running {
  const { PATH, HOME, TEMPORAL_CLI_PATH } = process.env;
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH, HOME, ...(TEMPORAL_CLI_PATH !== undefined && { TEMPORAL_CLI_PATH }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  processes.push(child);
  const lines: string[] = [];
  const readers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      for (const read of readers) read();
    });
  }
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const output = () => lines.join('\n');
  return {
    pid: child.pid as number,
    output,
    exited,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const read = () => {
          const found = lines.find((line) => pattern.test(line));
          if (found === undefined) return;
          readers.delete(read);
          resolve(found);
        };
        readers.add(read);
        read();
        void exited.then((code) => reject(new Error(`exit code ${code} before ${pattern}:\n${output()}`)));
      }),
    async end(signal) {
      const startedAt = performance.now();
      child.kill(signal);
      return { code: await exited, durationMs: performance.now() - startedAt };
    },
  };
}

/** A folder for a start's data. */
export function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dms-stack-'));
  chmodSync(folder, 0o755); // root's PostgreSQL runs as another user
  folders.push(folder);
  return join(folder, 'data');
}

/** `npm start`, until it says that it is up. */
export async function startStack(dataDir: string, { byNpm = false } = {}): Promise<Stack> {
  const running = (byNpm ? runByNpm : run)('start', { DATA_DIR: dataDir, LOG_LEVEL: 'warn' });
  await running.line(/Ctrl-C stops everything/);
  const local = JSON.parse(readFileSync(join(dataDir, 'local.json'), 'utf8')) as LocalInstance;
  return { ...running, local, organization: organizationAt(local.baseUrl, local) };
}

/** What the clients of one organization see at one address. */
export function organizationAt(
  baseUrl: string,
  { apiKey, deviceToken }: { apiKey: string; deviceToken: string },
): TestOrganization {
  const at = (token: string | null) => createClient(baseUrl, token);
  return { id: '', api: at(apiKey), device: at(deviceToken), with: at };
}

/** The environment that makes another process part of the same service. */
export const environmentOf = (settings: Settings): Record<string, string> => ({
  DATABASE_URL: settings.databaseUrl,
  TEMPORAL_ADDRESS: settings.temporalAddress,
  TEMPORAL_TASK_QUEUE: settings.taskQueue,
  SECRETS_KEYS: Object.entries(settings.secretsKeys)
    .map(([id, key]) => `${id}:${key.toString('base64')}`)
    .join(),
  RATE_LIMIT_PER_SECOND: '0',
  SWEEP_INTERVAL_SECONDS: String(settings.sweepIntervalMs / 1000),
  JOB_POLL_SECONDS: String(Math.ceil(settings.jobPollIntervalMs / 1000)),
  JOB_SIGNAL_INTERVAL_MS: String(settings.jobSignalIntervalMs),
  PORT: '0',
});

/** `npm run api`, until it listens; answers with its address. */
export async function startApiProcess(env: Record<string, string>): Promise<Running & { baseUrl: string }> {
  const running = run('api', env);
  const { port } = JSON.parse(await running.line(/API is up/)) as { port: number };
  return { ...running, baseUrl: `http://127.0.0.1:${port}` };
}

/** `npm run worker`, until it takes work. */
export async function startWorkerProcess(env: Record<string, string>): Promise<Running> {
  const running = run('worker', env);
  await running.line(/worker is up/);
  return running;
}

interface Relative {
  pid: number;
  parent: number;
  command: string;
}

/** All processes that the process has started, and those that these have started. */
export function descendantsOf(pid: number): Relative[] {
  const all = processTable();
  const childrenOf = (parent: number): Relative[] =>
    all.filter((each) => each.parent === parent).flatMap((child) => [child, ...childrenOf(child.pid)]);
  return childrenOf(pid);
}

/** Those of the processes that are still there. */
export function alive(relatives: Relative[]): Relative[] {
  const now = new Map(processTable().map(({ pid, command }) => [pid, command]));
  // A server may change its title, a pid may be given anew: the program's name tells them apart well enough.
  const nameOf = (command = '') => command.split(/[ :]/)[0];
  return relatives.filter(({ pid, command }) => now.has(pid) && nameOf(now.get(pid)) === nameOf(command));
}

function processTable(): Relative[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return table.split('\n').flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || state?.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), command: command as string }];
  });
}

/** For `after`: nothing that was started here stays, not even after a test that failed half way. */
export async function endAll(): Promise<void> {
  const left = processes
    .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    .flatMap(({ pid }) => [pid as number, ...descendantsOf(pid as number).map((each) => each.pid)]);
  for (const pid of left) tryKill(pid);
  for (const folder of folders.splice(0))
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}

export function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH');
  }
}
