/**
 * One PostgreSQL and one Temporal server for a whole run: started when the first test needs them, or before
 * all tests when files run in parallel. Each test file gets its own database, from a migrated template, and
 * its own task queue.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promiseHooks } from 'node:v8';
import type { WorkflowBundleOption } from '@temporalio/worker';
import pg from 'pg';
import { startPostgres } from '../../dev/embedded/postgres.ts';
import { findTemporalCli } from '../../dev/embedded/temporal-cli.ts';
import { startTemporalDevServer } from '../../dev/embedded/temporal-dev-server.ts';
import { createLog } from '../../src/process/log.ts';
import { installRuntime } from '../../src/temporal/runtime.ts';
import { bundleWorkflows } from '../../src/temporal/workflow-bundle.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/workflow-ids.ts';
import { migratedDatabase } from './migrated-database.ts';
import { processBundle } from './process-bundle.ts';

export interface Servers {
  postgresUrl: string;
  temporalAddress: string;
  cli: string;
  workflowBundle: WorkflowBundleOption;
}

/** No data has to survive a crash of the machine, and no database lives long enough to need a vacuum. */
const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' };
const TEMPLATE = 'template_migrated';
/** Temporal then takes more memory, and a seventh less processor time. */
const COLLECTS_SELDOM = { GOGC: '400' };
/**
 * The log line of PostgreSQL when one of its processes crashes, which ends the sessions of all tests at once.
 */
const CRASH = /PANIC:|was terminated by signal|Failed process was running/;
const FILES_MAX = 500;
/** The process id follows. */
const PREFIX = 'dms-test-';
/** Linux keeps files in this folder in memory. */
const MEMORY = '/dev/shm';
/** A whole run needs half of it. */
const MEMORY_BYTES_MIN = 8 * 2 ** 30;

// Workflows run in the process of the tests. There, Temporal's hook, which keeps a stack trace of each promise
// for its UI, is called for each promise of the service, too. Hooks of Node.js itself have a `before`.
const { createHook } = promiseHooks;
promiseHooks.createHook = (hooks) => (hooks.before ? createHook(hooks) : () => {});

const stops: Array<() => Promise<unknown>> = [];
let started: Promise<Servers> | undefined;
let databases = 0;

/** Set when test files run in parallel; the second holds the servers that their processes share. */
const { TESTS_SIDE_BY_SIDE, TEST_SERVERS } = process.env;

export function servers(): Promise<Servers> {
  started ??= TEST_SERVERS === undefined ? start() : joined(TEST_SERVERS);
  return started;
}

async function joined(shared: string): Promise<Servers> {
  await installRuntime(createLog('silent'));
  return JSON.parse(shared) as Servers;
}

export async function mochaGlobalSetup(): Promise<void> {
  if (TESTS_SIDE_BY_SIDE === undefined) {
    // The first build takes minutes, too long for a hook. Tests without servers run without it.
    await temporalCli().catch(() => {});
    return;
  }
  const { startSharedBrowser } = await import('./browser.ts');
  const [{ workflowBundle, ...others }, bundle, browser] = await Promise.all([
    servers(),
    processBundle(),
    startSharedBrowser(),
  ]);
  if (browser !== null) {
    stops.push(() => browser.close());
    process.env.TEST_BROWSER = browser.wsEndpoint();
  }
  const codePath = join(folder(), 'workflows.cjs');
  if ('code' in workflowBundle) writeFileSync(codePath, workflowBundle.code);
  // For processes of the service that tests start: bundling would take each of them seconds of both
  // processors.
  process.env.WORKFLOW_BUNDLE = codePath;
  process.env.PROCESS_BUNDLE = bundle;
  process.env.TEST_SERVERS = JSON.stringify({ ...others, workflowBundle: { codePath } });
}

let created: string | undefined;

/** The folder for the data of the servers. */
function folder(): string {
  if (created !== undefined) return created;
  const parent = hasRoomInMemory() ? MEMORY : tmpdir();
  removeAbandoned(parent);
  const path = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  // If this is root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(path, 0o755);
  stops.push(async () => rmSync(path, { recursive: true, force: true }));
  created = path;
  return path;
}

/** Folders of runs that were killed; those in memory would occupy it forever. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(PREFIX) ? Number(/^\d+/.exec(name.slice(PREFIX.length))?.[0]) : Number.NaN;
    if (pid > 0 && !isRunning(pid)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * A database is copied for each test file, and removed at the end: on a disk that takes ten times as long.
 */
function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > MEMORY_BYTES_MIN;
  } catch {
    return false;
  }
}

async function start(): Promise<Servers> {
  const [postgres, cli] = await Promise.all([
    startPostgres({ dataDir: join(folder(), 'postgres'), log: printCrash, settings: FAST }),
    temporalCli(),
  ]);
  stops.push(postgres.stop);
  await hashPasswordFast(postgres.url);
  await installRuntime(createLog('silent'));
  const [temporal, workflowBundle] = await Promise.all([
    startTemporalDevServer({ cli, searchAttributes: SEARCH_ATTRIBUTES, env: COLLECTS_SELDOM, log: () => {} }),
    bundleWorkflows(),
    migratedDatabase(postgres.url, TEMPLATE),
  ]);
  stops.push(temporal.stop);
  return { postgresUrl: postgres.url, temporalAddress: temporal.address, cli, workflowBundle };
}

/** By default, checking the password takes as long as the rest of a connection, and a test file opens dozens at once. */
async function hashPasswordFast(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('set scram_iterations = 1');
  await client.query(`alter role postgres password ${pg.escapeLiteral(new URL(url).password)}`);
  await client.end();
}

/** Otherwise the only symptom would be files that fail without a connection. */
function printCrash(line: string): void {
  if (CRASH.test(line)) process.stderr.write(`PostgreSQL of the tests: ${line}\n`);
}

export const temporalCli = () =>
  findTemporalCli({
    env: process.env,
    cacheDir: join(homedir(), '.cache', 'device-monitoring-service'),
    print: (line) => process.stderr.write(`${line}\n`),
  });

/** Creates a database with all migrations and no rows. Returns its URL. */
export async function newDatabase(): Promise<string> {
  const { postgresUrl } = await servers();
  const name = `test_${process.pid}_${++databases}`;
  if (databases > FILES_MAX) throw new Error('More databases than tests should need');
  const client = new pg.Client(postgresUrl);
  await client.connect();
  await client.query(`create database ${name} template ${TEMPLATE} strategy file_copy`);
  await client.end();
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function mochaGlobalTeardown(): Promise<void> {
  await started?.catch(() => {});
  for (const stop of stops.reverse()) await stop();
}
