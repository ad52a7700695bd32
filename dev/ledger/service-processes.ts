/**
 * The processes of the service: several of each kind, each with its ports and log file, and one with a wrong
 * clock.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePortBelow } from '../embedded/free-port.ts';
import { type NamedProcess, PROCESS_KINDS, type ProcessKind } from './fault-plan.ts';
import type { Journal } from './journal.ts';
import type { MemorySample } from './records.ts';

export interface ServiceProcess extends NamedProcess {
  port: number;
  coapPort: number;
  isRunning(): boolean;
  /** Sets the folder of the release that starts the next time. */
  use(root: string): void;
  /** Resolves when it is ready. */
  start(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal, and waits for the end. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  memory(): MemorySample[];
}

export interface ServiceProcessesOptions {
  each: number;
  /** Folder of the first release; by default this one. */
  root?: string;
  folder: string;
  env: Record<string, string | undefined>;
  skew: { processName: string; ms: number };
  journal: Journal;
  /** Called when a process has ended without being killed, or not as it should. */
  onFault(text: string): void;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SKEWED_CLOCK = fileURLToPath(new URL('./skewed-clock.mjs', import.meta.url));
/** The same as in docker-compose.yml. */
const NODE_FLAGS: Record<ProcessKind, string[]> = {
  api: ['--max-semi-space-size=32'],
  gateway: ['--max-semi-space-size=32'],
  worker: [],
};
/** The system assigns larger ones by itself: a logger could get the port of a process that is away. */
const processPort = () => freePortBelow(32_768);
const READY_MS = 180_000;
const STOP_MS = 15_000;

export const processNames = (each: number): NamedProcess[] =>
  PROCESS_KINDS.flatMap((kind) =>
    Array.from({ length: each }, (_, index) => ({ kind, name: `${kind}-${index + 1}` })),
  );

export const createServiceProcesses = (options: ServiceProcessesOptions): Promise<ServiceProcess[]> =>
  Promise.all(processNames(options.each).map((name) => createServiceProcess(name, options)));

async function createServiceProcess(
  { kind, name }: NamedProcess,
  options: ServiceProcessesOptions,
): Promise<ServiceProcess> {
  const { folder, journal, onFault } = options;
  const [port, coapPort, metricsPort] = [await processPort(), await processPort(), await processPort()];
  const skewMs = options.skew.processName === name ? options.skew.ms : 0;
  const log = openSync(join(folder, `${name}.log`), 'a');
  let child: ChildProcess | null = null;
  let startedMs = 0;
  let isEnding = false;
  let root = options.root ?? ROOT;

  function spawnProcess(): ChildProcess {
    const preload = skewMs === 0 ? [] : [`--import=${SKEWED_CLOCK}`];
    const started = spawn(
      process.execPath,
      [...NODE_FLAGS[kind], ...preload, join(root, `dist/src/bin/${kind}.js`)],
      {
        env: {
          ...options.env,
          PORT: String(port),
          COAP_PORT: String(coapPort),
          METRICS_PORT: String(metricsPort),
          CLOCK_SKEW_MS: String(skewMs),
        },
        stdio: ['ignore', 'pipe', log],
      },
    );
    started.stdout?.on('data', (chunk: Buffer) => writeSync(log, chunk));
    started.once('exit', (code, signal) => {
      journal.write('ended', { name, pid: started.pid, code, signal });
      if (!isEnding) onFault(`${name} ended by itself (${signal ?? code}); see ${name}.log`);
    });
    return started;
  }

  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null;

  return {
    kind,
    name,
    port,
    coapPort,
    isRunning,
    use: (other) => {
      root = other;
    },
    async start() {
      isEnding = false;
      child = spawnProcess();
      startedMs = journal.nowMs();
      journal.write('started', { name, pid: child.pid, skewMs });
      await untilUp(child, name);
    },
    signal: (signal) => void child?.kill(signal),
    async end(signal) {
      const ending = child;
      if (!ending || !isRunning()) return;
      isEnding = true;
      const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()));
      ending.kill(signal);
      const isLate = await Promise.race([ended.then(() => false), delay(STOP_MS, true, { ref: false })]);
      if (!isLate) return;
      onFault(`${name} did not end within ${STOP_MS / 1000} s of ${signal}`);
      ending.kill('SIGKILL');
      await ended;
    },
    memory() {
      if (!isRunning()) return [];
      const atMs = journal.nowMs();
      const pid = child?.pid as number;
      return [{ kind, pid, atMs, rssMb: residentMb(pid), ageMs: atMs - startedMs }];
    },
  };
}

/** Every process logs when it accepts requests. */
async function untilUp(child: ChildProcess, name: string): Promise<void> {
  const up = new Promise<string>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => void (IS_UP.test(chunk.toString()) && resolve('up')));
    child.once('exit', () => resolve('ended'));
  });
  const outcome = await Promise.race([up, delay(READY_MS, 'late', { ref: false })]);
  if (outcome === 'late') throw new Error(`${name} is not up after ${READY_MS / 1000} s`);
}

const IS_UP = / is up"/;

/** From Linux; 0 elsewhere, or when the process has just ended. */
function residentMb(pid: number): number {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Math.round(Number(kilobytes ?? 0) / 1024);
  } catch {
    return 0;
  }
}
