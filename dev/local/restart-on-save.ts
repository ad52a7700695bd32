/**
 * Runs the service in a process of its own, and starts it again when a source is saved.
 *
 * The next process is there by then, and the workflows are bundled anew only when a file that they import has changed.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from '../../src/temporal/workflow-bundle.ts';
import { freePort, isFree } from '../embedded/free-port.ts';
import type { OnStop } from '../embedded/run-and-stop.ts';
import { filesLoadedBy, ROOT } from '../source/imports.ts';
import type { Servers } from './start-servers.ts';
import type { StartSettings } from './start-settings.ts';

export interface RestartOptions {
  start: StartSettings;
  servers: Servers;
  print(line: string): void;
  onStop: OnStop;
}

const CHILD = fileURLToPath(new URL('../bin/dev-service.ts', import.meta.url));
const WATCHED = ['src', 'dev/local', 'dev/embedded', 'workflows', 'activities', 'migrations', 'docs'];
/** Editors write a file in several steps. */
const SETTLED_MS = 50;
/** A service that is killed loses nothing, so a slow end is not waited for. */
const END_MS = 500;
const WORKFLOWS = ['workflows/index.ts', 'workflows/trace-header.ts'];

export async function restartOnSave({ start, servers, print, onStop }: RestartOptions): Promise<never> {
  const folder = mkdtempSync(join(tmpdir(), 'dms-dev-'));
  onStop(() => rmSync(folder, { recursive: true, force: true }));
  const bundlePath = join(folder, 'workflows.cjs');
  const childEnv = {
    ...start.env,
    // The same ones after each start.
    PORT: String(await usablePort(start.port)),
    COAP_PORT: String(await usablePort(start.coapPort)),
    DATABASE_URL: servers.databaseUrl,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    ...(servers.temporalUi !== null && { TEMPORAL_UI_URL: servers.temporalUi }),
    WORKFLOW_BUNDLE: bundlePath,
    LAME_DUCK_SECONDS: '0',
  };
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
    const saved = await untilSaved();
    const startedAt = performance.now();
    if (saved.some((file) => workflowFiles.has(file))) workflowFiles = await writeBundle(bundlePath);
    running = await replace(running);
    await untilUp(running);
    print(`Restarted in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s after ${saved.join(', ')}`);
  }
}

const usablePort = async ({ port, isGiven }: StartSettings['port']): Promise<number> =>
  isGiven || (await isFree(port)) ? port : freePort();

/** Answers with the files that the workflows consist of. */
async function writeBundle(path: string): Promise<Set<string>> {
  const bundle = await bundleWorkflows();
  if ('code' in bundle) writeFileSync(path, bundle.code);
  return filesLoadedBy(WORKFLOWS);
}

/** The files that were saved, by path from the root, once nothing more is written. */
function untilSaved(): Promise<string[]> {
  const saved = new Set<string>();
  return new Promise((resolve) => {
    let settled: NodeJS.Timeout | undefined;
    const watchers = WATCHED.map((folder) =>
      watch(ROOT + folder, { recursive: true }, (_event, name) => {
        if (name === null || name.endsWith('~')) return;
        saved.add(relative(ROOT, join(ROOT, folder, name)));
        clearTimeout(settled);
        settled = setTimeout(() => {
          for (const each of watchers) each.close();
          resolve([...saved]);
        }, SETTLED_MS);
      }),
    );
  });
}

/** The process has said that it is up, or has ended with what it printed. */
const untilUp = (child: ChildProcess): Promise<unknown> =>
  Promise.race([once(child, 'message'), once(child, 'exit')]);

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await ended;
  clearTimeout(kill);
}
