/**
 * The service as its operators run it: `npm start`, `npm run api` and `npm run worker`, by the commands of
 * package.json, each as a process that tests may kill. They run from the bundle of the tests unless npm
 * starts them.
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
import { argumentsFor, processBundle } from './process-bundle.ts';
import type { TestOrganization, TestService } from './service.ts';

export interface Running {
  pid: number;
  /** Its output so far. */
  output(): string;
  /** Resolves with the first matching line, earlier ones included; rejects when the process ends without one. */
  line(pattern: RegExp): Promise<string>;
  /** Its exit code; null when a signal ended it. */
  exited: Promise<number | null>;
  isRunning(): boolean;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null }>;
}

export interface Stack extends Running {
  local: LocalInstance;
  organization: TestOrganization;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

const bundle = await processBundle();
const processes: ChildProcess[] = [];
const folders: string[] = [];

const NOT_BUNDLED = ['exec', '--import=#typescript'];

type Script = 'start' | 'api' | 'gateway' | 'worker' | 'demo';

/** Starts the program of the npm script with its options for Node.js, without npm and its shell in between. */
export function run(script: Script, env: Record<string, string>, ...args: string[]): Running {
  const words = (scripts[script] as string).split(' ').filter((word) => !NOT_BUNDLED.includes(word));
  const program = words.pop() as string;
  return launch([...words, ...argumentsFor(bundle, program), ...args], env);
}

/** With npm and a shell in between. */
const runByNpm = (script: Script, env: Record<string, string>) =>
  launch(['npm', 'run', '--silent', script], env);

/**
 * Inherits only the variables that locate programs and caches. Gets a bundle of the workflows, because
 * bundling takes a worker seconds of both processors.
 */
function launch([command = '', ...args]: string[], env: Record<string, string>): Running {
  const { PATH, HOME, TEMPORAL_CLI_PATH, WORKFLOW_BUNDLE } = process.env;
  const child = spawn(command, args, {
    cwd: root,
    env: {
      PATH,
      HOME,
      ...(TEMPORAL_CLI_PATH !== undefined && { TEMPORAL_CLI_PATH }),
      ...(WORKFLOW_BUNDLE !== undefined && { WORKFLOW_BUNDLE }),
      ...env,
    },
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
      child.kill(signal);
      return { code: await exited };
    },
  };
}

/** A new data folder for `npm start`. */
export function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dms-stack-'));
  chmodSync(folder, 0o755); // root's PostgreSQL runs as another user
  folders.push(folder);
  return join(folder, 'data');
}

/** Runs `npm start`, and waits until it is up. */
export async function startStack(
  dataDir: string,
  { byNpm = false, env = {} }: { byNpm?: boolean; env?: Record<string, string> } = {},
): Promise<Stack> {
  const running = (byNpm ? runByNpm : run)('start', { DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...env });
  await running.line(/Ctrl-C stops everything/);
  const local = readLocal(dataDir);
  return { ...running, local, organization: organizationAt(local.baseUrl, local) };
}

/** Addresses and keys of the service that runs on the data folder. */
export const readLocal = (dataDir: string): LocalInstance =>
  JSON.parse(readFileSync(join(dataDir, 'local.json'), 'utf8'));

/** The clients of one organization at one address. */
export function organizationAt(
  baseUrl: string,
  { apiKey, deviceToken }: { apiKey: string; deviceToken: string },
): TestOrganization {
  const at = (token: string | null) => createClient(baseUrl, token);
  return { id: '', keyId: '', api: at(apiKey), device: at(deviceToken), with: at };
}

/** An organization as clients of another process of its service see it. */
export async function sameOrganizationAt(
  { issueKey, baseUrl }: TestService,
  { id }: TestOrganization,
): Promise<TestOrganization> {
  const [customer, device] = await Promise.all([issueKey(id, 'customer'), issueKey(id, 'device')]);
  const clients = organizationAt(baseUrl, { apiKey: customer.token, deviceToken: device.token });
  return { ...clients, id, keyId: customer.id };
}

/** The environment for another process of the same service. */
export const environmentOf = (settings: Settings): Record<string, string> => ({
  DATABASE_URL: settings.databaseUrl,
  TEMPORAL_ADDRESS: settings.temporalAddress,
  TEMPORAL_TASK_QUEUE: settings.taskQueue,
  SECRETS_KEYS: Object.entries(settings.secretsKeys)
    .map(([id, key]) => `${id}:${key.toString('base64')}`)
    .join(),
  RATE_LIMIT_PER_SECOND: '0',
  DEVICE_RATE_LIMIT_PER_SECOND: '0',
  PORT: '0',
  LAME_DUCK_SECONDS: '0',
});

/** Runs `npm run worker`, and waits until it is up. */
export async function startWorkerProcess(env: Record<string, string>): Promise<Running> {
  const running = run('worker', env);
  await running.line(/worker is up/);
  return running;
}

interface Descendant {
  pid: number;
  parent: number;
  command: string;
}

/** All processes that the process started, directly or indirectly. */
export function descendantsOf(pid: number): Descendant[] {
  const all = processTable();
  const childrenOf = (parent: number): Descendant[] =>
    all.filter((each) => each.parent === parent).flatMap((child) => [child, ...childrenOf(child.pid)]);
  return childrenOf(pid);
}

/** The processes that are still running. */
export function alive(descendants: Descendant[]): Descendant[] {
  const now = new Map(processTable().map(({ pid, command }) => [pid, command]));
  // Compares the name of the program, because a server may change its title and a pid may be reused.
  const nameOf = (command = '') => command.split(/[ :]/)[0];
  return descendants.filter(({ pid, command }) => now.has(pid) && nameOf(now.get(pid)) === nameOf(command));
}

function processTable(): Descendant[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return table.split('\n').flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || state?.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), command: command as string }];
  });
}

/** For `after`: ends everything that was started here, even after a failed test. */
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
