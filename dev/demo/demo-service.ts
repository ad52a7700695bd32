/** The service that the demo uses: a running one, or its own in a temporary folder. */
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { supervise } from '../embedded/supervise.ts';
import { findRunning, type LocalInstance } from '../local/local-instance.ts';
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
  const running = await findRunning();
  if (running) {
    print(`A service is running at ${running.baseUrl}; the demo uses it and leaves it running.`);
    return { local: running, isOurs: false };
  }
  print('No service is running, so the demo starts one of its own, in a temporary folder. It is stopped and');
  print('removed at the end; `npm run demo -- --keep` leaves it up until Ctrl-C.');
  return { local: await startOwn(options), isOurs: true };
}

/** It does not outlive the demo, however that ends. */
async function startOwn({ env, print, onStop }: DemoServiceOptions): Promise<LocalInstance> {
  const dataDir = mkdtempSync(join(tmpdir(), 'dms-demo-'));
  // If this is root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(dataDir, 0o711);
  const service = supervise({
    command: process.execPath,
    args: ['--import=#typescript', START],
    env: { ...env, DATA_DIR: dataDir },
    graceMs: STOP_MS,
    temporaryFolder: dataDir,
    log(line) {
      if (/^(PostgreSQL|Temporal)/.test(line)) print(`  ${line}`);
    },
  });
  onStop(service.stop);
  const ended = service.exited.then(() => {
    throw new DidNotHappen(`The service did not start:\n${service.lastLines().slice(-5).join('\n')}`);
  });
  const up = until({
    what: 'a service that answers',
    withinMs: START_MS,
    read: () => findRunning(dataDir),
    holds: (found) => found !== null,
  });
  return (await Promise.race([up, ended])) as LocalInstance;
}
