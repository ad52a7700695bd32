/**
 * Runs the service in a separate process, and restarts it when a source is saved.
 *
 * The next process is prepared ahead, and the workflows are bundled again only when a file that they import
 * has changed.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from '../../src/temporal/workflow-bundle.ts';
import type { OnStop } from '../embedded/run-and-stop.ts';
import { filesLoadedBy, ROOT } from '../source/imports.ts';
import { type ReservePort, reserveTcpPort, reserveUdpPort } from './port-reservation.ts';
import type { Servers } from './start-servers.ts';
import type { StartSettings, WantedPort } from './start-settings.ts';
import { watchSaves } from './watch-saves.ts';

export interface RestartOptions {
  start: StartSettings;
  servers: Servers;
  print(line: string): void;
  onStop: OnStop;
}

const CHILD = fileURLToPath(new URL('../bin/dev-service.ts', import.meta.url));
const WATCHED = ['src', 'dev/local', 'dev/embedded', 'workflows', 'activities', 'migrations', 'docs'];
/** A killed service loses nothing, so there is no need to wait for a slow end. */
const END_MS = 500;
const WORKFLOWS = ['workflows/index.ts', 'workflows/trace-header.ts'];

export async function restartOnSave({ start, servers, print, onStop }: RestartOptions): Promise<never> {
  const folder = mkdtempSync(join(tmpdir(), 'dms-dev-'));
  onStop(() => rmSync(folder, { recursive: true, force: true }));
  const bundlePath = join(folder, 'workflows.cjs');
  const childEnv = {
    ...start.env,
    // The same ports after each start.
    PORT: String(await usablePort(start.port, reserveTcpPort)),
    COAP_PORT: String(await usablePort(start.coapPort, reserveUdpPort)),
    DATABASE_URL: servers.databaseUrl,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    ...(servers.temporalUi !== null && { TEMPORAL_UI_URL: servers.temporalUi }),
    WORKFLOW_BUNDLE: bundlePath,
    LAME_DUCK_SECONDS: '0',
  };
  const saves = watchSaves(ROOT, WATCHED);
  onStop(() => saves.stop());
  const prepare = () => fork(CHILD, { env: childEnv });
  let workflowFiles = await writeBundle(bundlePath);
  let next = prepare();
  let running = await replace(null);
  onStop(() => Promise.all([end(next), end(running)]));

  async function replace(old: ChildProcess | null): Promise<ChildProcess> {
    if (old) await end(old);
    const started = next;
    started.send('start');
    next = prepare();
    return started;
  }

  for (;;) {
    const saved = await saves.next();
    const startedAt = performance.now();
    if (saved.some((file) => workflowFiles.has(file))) workflowFiles = await writeBundle(bundlePath);
    running = await replace(running);
    const seconds = () => ((performance.now() - startedAt) / 1_000).toFixed(1);
    if (await comesUp(running)) print(`Restarted in ${seconds()} s after ${saved.join(', ')}`);
    else print('The service has ended: it starts again with the next save');
  }
}

async function usablePort({ port, isGiven }: WantedPort, reserve: ReservePort): Promise<number> {
  if (isGiven) return port;
  const reserved = (await reserve(port)) ?? (await reserve(0));
  await reserved?.release();
  return reserved?.port ?? port;
}

/** Returns the files that the workflows consist of. */
async function writeBundle(path: string): Promise<Set<string>> {
  const bundle = await bundleWorkflows();
  if ('code' in bundle) writeFileSync(path, bundle.code);
  return filesLoadedBy(WORKFLOWS);
}

/** False when the process has ended instead, after printing the reason. */
const comesUp = (child: ChildProcess): Promise<boolean> =>
  Promise.race([once(child, 'message').then(() => true), once(child, 'exit').then(() => false)]);

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await ended;
  clearTimeout(kill);
}
