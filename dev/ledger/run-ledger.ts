/**
 * The ledger: several of each process on PostgreSQL and Temporal, with devices, customers and receivers, while processes
 * are killed and stopped. Every client action is written down with what was acknowledged; at the end, when all is up and
 * quiet, that is compared with what the service shows.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startHttpProxy } from '../balancer/http-proxy.ts';
import { startUdpBalancer } from '../balancer/udp-balancer.ts';
import type { Env } from '../embedded/find-program.ts';
import type { OnStop } from '../embedded/run-and-stop.ts';
import { createRandom } from '../simulator/random.ts';
import { createLedgerClient, type LedgerClient } from './client.ts';
import { createCustomer } from './customer.ts';
import { checkDevices } from './devices-oracle.ts';
import { buildEarlierRelease, findEarlierRelease } from './earlier-release.ts';
import { type LedgerEndpoints, registerEndpoints } from './endpoints.ts';
import { createEventCheck } from './event-documents.ts';
import { type FaultPlan, planFaults } from './fault-plan.ts';
import { createFleets, type Fleets } from './fleets.ts';
import { type Injection, injectFaults } from './inject-faults.ts';
import { type Journal, openJournal } from './journal.ts';
import type { LedgerOptions } from './ledger-options.ts';
import { progressLine, verdictTable } from './ledger-table.ts';
import { checkRun, type Verdict } from './oracle.ts';
import { createReceivers } from './receivers.ts';
import type { Finding, MemorySample } from './records.ts';
import { type Servers, startServers } from './servers.ts';
import { createServiceProcesses, processNames, type ServiceProcess } from './service-processes.ts';
import { readAlerts, readDevices, readJobs } from './stored-state.ts';
import { upgradeAndBack } from './upgrade.ts';

export interface LedgerContext {
  env: Env;
  cacheDir: string;
  print(line: string): void;
  onStop: OnStop;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROXY_TIMEOUT_MS = 18_000;
const LINE_MS = 10_000;
const MEMORY_MS = 2_500;
const QUIET_MS_MAX = 300_000;
const POLL_MS = 2_000;

/** Answers whether all was as it should be. */
export async function runLedger(options: LedgerOptions, context: LedgerContext): Promise<boolean> {
  const { print } = context;
  const folder = mkdtempSync(join(tmpdir(), 'dms-ledger-'));
  chmodSync(folder, 0o755);
  print(`Ledger: seed ${options.seed}, ${options.minutes} minutes, in ${folder}`);
  const journal = openJournal(join(folder, 'events.jsonl'));
  const findings: Finding[] = [];
  const run = await startRun({ options, context, folder, journal, findings });
  const verdict = await carryOut(run);
  await journal.close();
  print(verdictTable(verdict));
  return conclude(verdict, { options, folder, print });
}

interface RunOptions {
  options: LedgerOptions;
  context: LedgerContext;
  folder: string;
  journal: Journal;
  findings: Finding[];
}

interface Run extends RunOptions {
  env: Record<string, string | undefined>;
  /** The folder of the release that the run begins with. */
  firstRoot: string;
  plan: FaultPlan;
  servers: Servers;
  processes: ServiceProcess[];
  client: LedgerClient;
  fleets: Fleets;
  receivers: ReturnType<typeof createReceivers>;
  endpoints: LedgerEndpoints;
}

async function startRun(given: RunOptions): Promise<Run> {
  const { options, context, folder, journal, findings } = given;
  const { print, onStop } = context;
  const plan = planFaults({
    seed: options.seed,
    durationMs: options.minutes * 60_000,
    processes: processNames(options.each),
  });
  journal.write('plan', { options, plan });
  print('Building');
  execFileSync('npm', ['run', '-s', 'build'], { cwd: ROOT, stdio: 'inherit' });
  const firstRoot = options.isUpgrade ? unpackBefore(folder, print) : ROOT;
  const servers = await startServers({ ...context, temporal: options.temporal, folder });
  onStop(servers.stop);
  const env = processEnvironment(context.env, servers);
  const [apiKey, deviceToken] = setUp(firstRoot, env);
  const processes = await createServiceProcesses({
    each: options.each,
    root: firstRoot,
    folder,
    env,
    skew: plan.skew,
    journal,
    onFault: (text) => findings.push({ about: 'processes', text }),
  });
  onStop(() => Promise.all(processes.map((each) => each.end('SIGTERM'))));
  print(
    `Starting ${processes.map(({ name }) => name).join(', ')}; the clock of ${plan.skew.processName} is wrong by ${plan.skew.ms / 1000} s`,
  );
  await Promise.all(processes.map((each) => each.start()));
  const portsOf = (kind: ServiceProcess['kind'], port: 'port' | 'coapPort') =>
    processes.filter((each) => each.kind === kind).map((each) => each[port]);
  const proxy = await startHttpProxy({ ports: portsOf('api', 'port'), timeoutMs: PROXY_TIMEOUT_MS });
  onStop(proxy.stop);
  const balancer = await startUdpBalancer(portsOf('gateway', 'coapPort'));
  onStop(balancer.stop);
  const client = createLedgerClient(proxy.url, apiKey);
  const receivers = createReceivers({
    random: createRandom(options.seed + 2),
    nowMs: journal.nowMs,
    faultIn: createEventCheck(),
  });
  onStop(receivers.stop);
  const fleets = await createFleets({
    ...options,
    baseUrl: proxy.url,
    coapPort: balancer.port,
    apiKey,
    deviceToken,
  });
  onStop(fleets.stop);
  const endpoints = await registerEndpoints(client, receivers);
  return { ...given, env, firstRoot, plan, servers, processes, client, fleets, receivers, endpoints };
}

function unpackBefore(folder: string, print: (line: string) => void): string {
  const name = findEarlierRelease();
  if (name === null) throw new Error('The git history does not hold the release before');
  print(`Building the release before, ${name}`);
  return buildEarlierRelease(name, folder);
}

const processEnvironment = (
  env: Env,
  { databaseUrl, temporalAddress }: Servers,
): Record<string, string | undefined> => ({
  PATH: env.PATH,
  HOME: env.HOME,
  DATABASE_URL: databaseUrl,
  TEMPORAL_ADDRESS: temporalAddress,
  SECRETS_KEYS: `1:${Buffer.alloc(32, 7).toString('base64')}`,
  WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
  DATABASE_POOL_SIZE: '10',
  LOG_LEVEL: 'info',
});

/** By the operator's commands. */
function setUp(root: string, env: Record<string, string | undefined>): [apiKey: string, deviceToken: string] {
  migrateBy(root, env);
  const key = (kind: string) =>
    dms(root, env, 'key', 'create', '--org', 'ledger', '--kind', kind).trim().split(/\s+/).at(-1) as string;
  return [key('customer'), key('device')];
}

function migrateBy(root: string, env: Record<string, string | undefined>): void {
  dms(root, env, 'migrate');
  dms(root, env, 'temporal', 'setup');
}

const dms = (root: string, env: Record<string, string | undefined>, ...args: string[]): string =>
  execFileSync(process.execPath, [join(root, 'dist/src/bin/cli.js'), ...args], { env, encoding: 'utf8' });

async function carryOut(run: Run): Promise<Verdict> {
  const { options, journal, processes, client, fleets, receivers, endpoints, findings } = run;
  const customer = createCustomer({
    client,
    serials: fleets.transmitting,
    edited: endpoints.edited,
    toggled: endpoints.toggled,
    random: createRandom(options.seed + 3),
    journal,
  });
  const memory: MemorySample[] = [];
  let faultsEndedAt = '';
  await fleets.start();
  const over = new AbortController();
  const acting = customer.actUntil(over.signal);
  const injection = disturb(run);
  const sampling = setInterval(() => memory.push(...processes.flatMap((each) => each.memory())), MEMORY_MS);
  const showing = setInterval(() => show(run, { injection, jobs: customer.jobs.length }), LINE_MS);
  try {
    await injection.done;
    faultsEndedAt = new Date().toISOString();
    over.abort();
    await acting;
    await receivers.heal();
    // Devices go on: what is offered to them is settled with their next frames.
    await untilNone(run, ['jobs', 'devices']);
    await fleets.stop();
    await untilNone(run, ['deliveries']);
  } finally {
    clearInterval(sampling);
    clearInterval(showing);
  }
  for (const text of await endpoints.faults()) findings.push({ about: 'endpoints', text });
  const stored = {
    devices: await readDevices(client, true),
    jobs: await readJobs(client),
    alerts: await readAlerts(client),
  };
  const actual = fleets.actual();
  writeFileSync(join(run.folder, 'records.json'), JSON.stringify({ stored, actual, jobs: customer.jobs }));
  return checkRun(
    {
      sent: fleets.records.sent,
      jobs: customer.jobs,
      faultsEndedAt,
      actual,
      receipts: receivers.receipts,
      subscriptions: endpoints.subscriptions,
      memory,
      findings,
    },
    stored,
  );
}

/** By faults, or by an upgrade. */
function disturb({ options, processes, servers, plan, journal, findings, env, firstRoot }: Run): Injection {
  const onFault = (text: string) => void findings.push({ about: 'processes', text });
  if (!options.isUpgrade) return injectFaults({ plan, processes, servers, journal, onFault });
  return upgradeAndBack({
    processes,
    before: firstRoot,
    today: ROOT,
    durationMs: options.minutes * 60_000,
    migrate: () => migrateBy(ROOT, env),
    journal,
    onFault,
  });
}

/** Until nothing of these is left to wait for. After a long wait the oracle says what is wrong. */
async function untilNone(run: Run, kinds: Array<'jobs' | 'devices' | 'deliveries'>): Promise<void> {
  const until = performance.now() + QUIET_MS_MAX;
  for (let said = ''; performance.now() < until; await delay(POLL_MS)) {
    const left = await countLeft(run);
    run.journal.write('waiting', left);
    if (kinds.every((kind) => left[kind] === 0)) return;
    const text = `Waiting for ${left.jobs} jobs, ${left.devices} devices, ${left.deliveries} deliveries`;
    if (text !== said) run.context.print(text);
    said = text;
  }
}

async function countLeft({ client, fleets, endpoints }: Run) {
  const running = await client.get('/devices/config-jobs?status=running&limit=500');
  const devices = await readDevices(client, false);
  const resent = await endpoints.resendLate();
  return {
    jobs: running.body.items.length as number,
    devices: [...checkDevices(fleets.actual(), devices)].length,
    deliveries: await endpoints.countWaiting(),
    resent,
  };
}

function show(
  { journal, processes, fleets, receivers, client, context }: Run,
  { injection, jobs }: { injection: Injection; jobs: number },
): void {
  context.print(
    progressLine({
      seconds: Math.round(journal.nowMs() / 1000),
      faults: injection.counts,
      up: `${processes.filter((each) => each.isRunning()).length}/${processes.length}`,
      readings: fleets.records.counts(),
      jobs,
      receipts: receivers.receipts.length,
      memoryMb: processes.flatMap((each) => each.memory()).reduce((sum, { rssMb }) => sum + rssMb, 0),
      repeats: client.repeats(),
    }),
  );
}

function conclude(
  { findings }: Verdict,
  { options, folder, print }: { options: LedgerOptions; folder: string; print(line: string): void },
): boolean {
  const isGood = findings.length === 0;
  writeFileSync(join(folder, 'findings.json'), JSON.stringify(findings, null, 2));
  const { minutes, seed, devices, each, temporal } = options;
  const again = `npm run ledger -- --minutes ${minutes} --seed ${seed} --devices ${devices} --each ${each} --temporal ${temporal}${options.isUpgrade ? ' --upgrade' : ''}`;
  if (isGood) print('Nothing lost, doubled or invented.');
  else
    print(
      `${findings.length} findings. Logs and events are in ${folder}; the same faults again:\n  ${again}`,
    );
  if (isGood && !options.isKept) rmSync(folder, { recursive: true, force: true });
  return isGood;
}
