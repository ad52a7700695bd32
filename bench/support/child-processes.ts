/** Programs of the repository as separate processes, all with one environment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { createCoapClient } from '../../dev/simulator/coap-client.ts';

export interface ChildProcesses {
  /** Resolves when the URL answers. */
  startUntilAnswering(file: string, url: string, env: Record<string, string>): Promise<ChildProcess>;
  /** Resolves when the gateway answers on the port. */
  startGateway(file: string, port: number): Promise<ChildProcess>;
  /** The latest first. */
  stop(): Promise<void>;
}

/** As in docker-compose.yml: objects of one transaction should not reach the old generation of the heap. */
const NODE_FLAGS: Record<string, string[]> = {
  'dist/src/bin/api.js': ['--max-semi-space-size=32'],
  'dist/src/bin/gateway.js': ['--max-semi-space-size=32'],
};

/** BENCH_PROFILES: a folder for what the processor did in each process, as `node --cpu-prof` writes it. */
const PROFILING = process.env.BENCH_PROFILES
  ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILES}`]
  : [];

export function createChildProcesses(env: Record<string, string | undefined>): ChildProcesses {
  const children: ChildProcess[] = [];
  function start(file: string, more: Record<string, string> = {}): ChildProcess {
    const args = file.startsWith('dist/')
      ? [...(NODE_FLAGS[file] ?? []), ...PROFILING, file]
      : ['--import=#typescript', file];
    const child = spawn(process.execPath, args, { env: { ...env, ...more }, stdio: 'inherit' });
    children.push(child);
    // Also when a bench fails, because remaining processes would distort the figures of the next one.
    process.once('exit', () => child.kill('SIGKILL'));
    return child;
  }
  return {
    async startUntilAnswering(file, url, more) {
      const child = start(file, more);
      while (!(await isAnswering(url))) {
        if (hasEnded(child)) throw new Error(`${file} ended with ${child.exitCode ?? child.signalCode}`);
        await delay(50);
      }
      return child;
    },
    async startGateway(file, port) {
      const child = start(file);
      const client = await createCoapClient({ host: '127.0.0.1', port, ackTimeoutMs: 2_000 });
      await client.send({ path: 't', method: 'GET', confirmable: true });
      await client.close();
      return child;
    },
    async stop() {
      for (const child of children.reverse()) await end(child);
    },
  };
}

const isAnswering = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (hasEnded(child)) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
