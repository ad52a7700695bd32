/** The service that the demo uses: a running one, or its own in a temporary folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type LocalInstance, readLocalInstance } from '../local/local-instance.ts';
import { DidNotHappen, until } from './observe.ts';

export interface DemoService {
  local: LocalInstance;
  /** Whether the demo started it, and stops it at its end. */
  isOurs: boolean;
}

export interface DemoServiceOptions {
  /** The environment of the demo's own service. */
  env: NodeJS.ProcessEnv;
  print(line: string): void;
  /** Called with the stop function of the demo's own service, before that is up. */
  onStop(stop: () => Promise<unknown>): void;
}

const START = fileURLToPath(new URL('../bin/start.ts', import.meta.url));
/** The first start may have to build the Temporal CLI. */
const START_MS = 8 * 60_000;
const STOP_MS = 12_000;

export async function findOrStartService(options: DemoServiceOptions): Promise<DemoService> {
  const { print } = options;
  const running = readLocalInstance();
  if (running && (await isAlive(running))) {
    print(`A service is running at ${running.baseUrl}; the demo uses it and leaves it running.`);
    return { local: running, isOurs: false };
  }
  print('No service is running, so the demo starts one of its own, in a temporary folder. It is stopped and');
  print('removed at the end; `npm run demo -- --keep` leaves it up until Ctrl-C.');
  return { local: await startOwn(options), isOurs: true };
}

async function startOwn({ env, print, onStop }: DemoServiceOptions): Promise<LocalInstance> {
  const dataDir = mkdtempSync(join(tmpdir(), 'dms-demo-'));
  // If this is root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(dataDir, 0o711);
  const child = spawn(process.execPath, ['--import=#typescript', START], {
    // Servers and ports in the environment belong to another service.
    env: {
      ...env,
      DATABASE_URL: undefined,
      TEMPORAL_ADDRESS: undefined,
      PORT: undefined,
      COAP_PORT: undefined,
      METRICS_PORT: undefined,
      DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onStop(async () => {
    await ended(child);
    // A server that was just starting may still write while it ends.
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output.push(line);
      if (/^(PostgreSQL|Temporal)/.test(line)) print(`  ${line}`);
    });
  }
  const local = await until({
    what: 'a service that answers',
    withinMs: START_MS,
    async read() {
      if (hasEnded(child)) {
        throw new DidNotHappen(`The service did not start:\n${output.slice(-5).join('\n')}`);
      }
      const found = readLocalInstance(dataDir);
      return found && (await isAlive(found)) ? found : null;
    },
    holds: (found) => found !== null,
  });
  return local as LocalInstance;
}

async function isAlive({ baseUrl }: LocalInstance): Promise<boolean> {
  try {
    const { ok } = await fetch(`${baseUrl}/livez`, { signal: AbortSignal.timeout(2_000) });
    return ok;
  } catch {
    return false;
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

function ended(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return Promise.resolve();
  return new Promise((resolve) => {
    const hard = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.once('exit', () => {
      clearTimeout(hard);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
