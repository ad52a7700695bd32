/** Starts everything for a run of the ledger, up to registered devices and endpoints. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startHttpProxy } from '../balancer/http-proxy.ts';
import { startUdpBalancer } from '../balancer/udp-balancer.ts';
import type { Env } from '../embedded/find-program.ts';
import type { OnStop } from '../embedded/run-and-stop.ts';
import { createRandom } from '../simulator/random.ts';
import { createLedgerClient, type LedgerClient } from './client.ts';
import { buildEarlierRelease, findEarlierRelease } from './earlier-release.ts';
import { type LedgerEndpoints, registerEndpoints } from './endpoints.ts';
import { registerEscalation } from './escalations.ts';
import { createEventCheck } from './event-documents.ts';
import { type FaultPlan, planFaults } from './fault-plan.ts';
import { createFleets, type Fleets } from './fleets.ts';
import type { Journal } from './journal.ts';
import type { LedgerOptions } from './ledger-options.ts';
import { createReceivers } from './receivers.ts';
import type { Finding, LedgerEscalation } from './records.ts';
import { type Servers, startServers } from './servers.ts';
import { createServiceProcesses, processNames, type ServiceProcess } from './service-processes.ts';

export interface LedgerContext {
  env: Env;
  cacheDir: string;
  print(line: string): void;
  onStop: OnStop;
}

/** The folder of this release. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROXY_TIMEOUT_MS = 18_000;

interface RunOptions {
  options: LedgerOptions;
  context: LedgerContext;
  folder: string;
  journal: Journal;
  findings: Finding[];
}

export interface Run extends RunOptions {
  env: Record<string, string | undefined>;
  /** The folder of the first release of the run. */
  firstRoot: string;
  plan: FaultPlan;
  servers: Servers;
  processes: ServiceProcess[];
  client: LedgerClient;
  fleets: Fleets;
  receivers: ReturnType<typeof createReceivers>;
  endpoints: LedgerEndpoints;
  escalation: LedgerEscalation | null;
}

export async function startRun(given: RunOptions): Promise<Run> {
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
  const onFault = (text: string) => void findings.push({ about: 'processes', text });
  // The release before may crash PostgreSQL 18, which this one avoids (OUTBOX_SESSION).
  const onCrash = options.isUpgrade ? print : onFault;
  const servers = await startServers({ ...context, temporal: options.temporal, folder, onCrash });
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
    onFault,
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
    faultIn: createEventCheck([...new Set([ROOT, firstRoot])]),
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
  const escalation = await registerEscalation(client, receivers);
  return {
    ...given,
    env,
    firstRoot,
    plan,
    servers,
    processes,
    client,
    fleets,
    receivers,
    endpoints,
    escalation,
  };
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

/** Uses the operator's commands. */
function setUp(root: string, env: Record<string, string | undefined>): [apiKey: string, deviceToken: string] {
  migrateBy(root, env);
  const key = (kind: string) =>
    dms(root, env, 'key', 'create', '--org', 'ledger', '--kind', kind).trim().split(/\s+/).at(-1) as string;
  return [key('customer'), key('device')];
}

export function migrateBy(root: string, env: Record<string, string | undefined>): void {
  dms(root, env, 'migrate');
  dms(root, env, 'temporal', 'setup');
}

const dms = (root: string, env: Record<string, string | undefined>, ...args: string[]): string =>
  execFileSync(process.execPath, [join(root, 'dist/src/bin/cli.js'), ...args], { env, encoding: 'utf8' });
