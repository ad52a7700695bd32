/** Starts everything on one machine, in order: servers, schema, organization and keys, service. */
import { join } from 'node:path';
import { compose, type Service } from '../../src/compose/service.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Settings } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';
import { DRAIN_MS } from '../../src/process/shutdown.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/workflow-ids.ts';
import { ensureDatabase } from '../embedded/ensure-database.ts';
import { startPostgres } from '../embedded/postgres.ts';
import { findTemporalCli } from '../embedded/temporal-cli.ts';
import { startTemporalDevServer } from '../embedded/temporal-dev-server.ts';
import { prepareDataFolder } from './data-folder.ts';
import { readLocalInstance, startupBanner, writeLocalInstance } from './local-instance.ts';
import { localKeys, localSecretsKeys } from './local-keys.ts';
import { openLogFile } from './log-file.ts';
import {
  type PortReservation,
  type ReservePort,
  reserveTcpPort,
  reserveUdpPort,
} from './port-reservation.ts';
import { type StartSettings, settingsForStart } from './start-settings.ts';

const SECOND_START_MS = 1_000;

export interface StartOptions {
  start: StartSettings;
  print(line: string): void;
  /** Called with what has to be stopped later, the last one first. */
  onStop(stop: () => Promise<unknown>): void;
  /** A server that the service depends on has ended. */
  onServerExit(exitCode: number): void;
}

export async function startEverything(options: StartOptions): Promise<void> {
  const { start, print, onStop } = options;
  await refuseSecondStart(start.dataDir);
  const apiPort = await reservePort(start.port, {
    name: 'PORT',
    what: 'the API',
    reserve: reserveTcpPort,
    print,
  });
  const coapPort = await reservePort(start.coapPort, {
    name: 'COAP_PORT',
    what: 'the CoAP gateway',
    reserve: reserveUdpPort,
    print,
  });
  const isRoot = process.getuid?.() === 0;
  prepareDataFolder(start.dataDir, { isPassedThrough: isRoot && start.databaseUrl === null });
  const destination = openLogFile(start.dataDir, 'service.log');
  onStop(async () => destination.flushSync());

  // In parallel, because the first start of each takes long.
  const [databaseUrl, temporal] = await Promise.all([database(options), temporalServer(options)]);
  const settings = settingsForStart(start, {
    databaseUrl,
    temporalAddress: temporal.address,
    port: apiPort.port,
    coapPort: coapPort.port,
    secretsKeys: localSecretsKeys(start.dataDir),
  });
  const service = compose({ settings, log: createLog(settings.logLevel, destination) });
  onStop(service.close);
  await migrateDatabase(service, print);
  const keys = await localKeys(service.sql, start.dataDir);

  const worker = await service.startWorker();
  onStop(() => worker.stop(DRAIN_MS));
  const metrics = await service.startMetrics();
  onStop(metrics.stop);
  await apiPort.release();
  const api = await service.startApi();
  onStop(() => api.stop(DRAIN_MS));
  await coapPort.release();
  const gateway = await service.startGateway();
  onStop(() => gateway.stop(DRAIN_MS));
  const local = {
    baseUrl: `http://${hostIn(settings)}:${api.port}`,
    apiKey: keys.apiKey,
    deviceToken: keys.deviceToken,
    coapUrl: `coap://${hostIn(settings)}:${gateway.port}`,
    temporalAddress: settings.temporalAddress,
    temporalUi: temporal.uiUrl,
    metricsUrl: `http://${hostIn(settings)}:${metrics.port}/metrics`,
    databaseUrl,
  };
  writeLocalInstance(start.dataDir, local);
  const { host, coap } = settings;
  print(startupBanner(local, start.dataDir, { host, isTokenRequired: coap.isTokenRequired }));
}

/** Only a service on this folder knows its key. */
async function refuseSecondStart(dataDir: string): Promise<void> {
  const local = readLocalInstance(dataDir);
  if (!local) return;
  const headers = { Authorization: `Bearer ${local.apiKey}` };
  const signal = AbortSignal.timeout(SECOND_START_MS);
  const answer = await fetch(`${local.baseUrl}/assets?limit=1`, { headers, signal }).catch(() => null);
  if (!answer?.ok) return;
  throw new Error(
    `The service runs already at ${local.baseUrl}, on the data in ${dataDir}. Stop it first, or start another one with another DATA_DIR.`,
  );
}

/** The host for URLs that work on this machine. */
function hostIn({ host }: Settings): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

interface PortUse {
  /** The variable that sets it. */
  name: string;
  what: string;
  reserve: ReservePort;
  print: StartOptions['print'];
}

/** The given port or none; when the default port is in use, any other one. */
async function reservePort(
  { port, isGiven }: StartSettings['port'],
  { name, what, reserve, print }: PortUse,
): Promise<PortReservation> {
  const reserved = await reserve(port);
  if (reserved) return reserved;
  if (isGiven)
    throw new Error(`Port ${port} is taken: choose another one with ${name}, or stop what listens there`);
  const other = (await reserve(0)) as PortReservation;
  print(`Port ${port} is taken, so ${what} listens on ${other.port}; ${name} chooses one`);
  return other;
}

async function database({ start, print, onStop, onServerExit }: StartOptions): Promise<string> {
  if (start.databaseUrl !== null) {
    print('PostgreSQL: the one of DATABASE_URL');
    return start.databaseUrl;
  }
  print('PostgreSQL: starting the embedded server');
  const log = openLogFile(start.dataDir, 'postgres.log');
  const postgres = await startPostgres({
    dataDir: join(start.dataDir, 'postgres'),
    log: (line) => void log.write(`${line}\n`),
  });
  watch(postgres, 'PostgreSQL', { print, onStop, onServerExit });
  return ensureDatabase(postgres.url, 'dms');
}

async function temporalServer({ start, print, onStop, onServerExit }: StartOptions) {
  if (start.temporalAddress !== null) {
    print(`Temporal: the server at ${start.temporalAddress}`);
    return { address: start.temporalAddress, uiUrl: null };
  }
  const cli = await findTemporalCli({ env: start.env, cacheDir: start.cacheDir, print });
  print('Temporal: starting the dev server');
  const log = openLogFile(start.dataDir, 'temporal.log');
  const temporal = await startTemporalDevServer({
    cli,
    dbFile: join(start.dataDir, 'temporal.db'),
    uiPort: 0,
    searchAttributes: SEARCH_ATTRIBUTES,
    log: (line) => void log.write(`${line}\n`),
  });
  watch(temporal, 'Temporal', { print, onStop, onServerExit });
  return { address: temporal.address, uiUrl: temporal.uiUrl ?? null };
}

/** Without its servers the service cannot run. All data is there at the next start. */
function watch(
  server: { exited: Promise<unknown>; stop(): Promise<void> },
  name: string,
  { print, onStop, onServerExit }: Pick<StartOptions, 'print' | 'onStop' | 'onServerExit'>,
): void {
  let isWanted = true;
  onStop(() => {
    isWanted = false;
    return server.stop();
  });
  void server.exited.then(() => {
    if (!isWanted) return;
    print(
      `${name} has ended unexpectedly, so the service stops; its log is in the data folder. Start again to go on.`,
    );
    onServerExit(1);
  });
}

async function migrateDatabase(service: Service, print: StartOptions['print']): Promise<void> {
  const names = await migrate(service.sql);
  if (names.length > 0) print(`Database: ${names.length} migrations run`);
}
