/** Starts everything on one machine, in order: servers, schema, organization and keys, service. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compose, type Service } from '../../src/compose/service.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Settings } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';
import { DRAIN_MS } from '../../src/process/shutdown.ts';
import { prepareDataFolder } from './data-folder.ts';
import { findRunning, startupBanner, writeLocalInstance } from './local-instance.ts';
import { localKeys, localOperatorLink, localSecretsKeys } from './local-keys.ts';
import { openLogFile } from './log-file.ts';
import {
  type PortReservation,
  type ReservePort,
  reserveTcpPort,
  reserveUdpPort,
} from './port-reservation.ts';
import { POSTGRES_FOLDER, type StartOptions, startServers } from './start-servers.ts';
import { type StartSettings, settingsForStart } from './start-settings.ts';

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
  prepareDataFolder(start.dataDir, { isPassedThrough: isPassedThrough(start) });
  const destination = openLogFile(start.dataDir, 'service.log');
  onStop(async () => destination.flushSync());

  const { databaseUrl, temporalAddress, temporalUi } = await startServers(options);
  const settings = settingsForStart(start, {
    databaseUrl,
    temporalAddress,
    port: apiPort.port,
    coapPort: coapPort.port,
    secretsKeys: localSecretsKeys(start.dataDir),
    temporalUi,
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
    temporalUi,
    metricsUrl: `http://${hostIn(settings)}:${metrics.port}/metrics`,
    databaseUrl,
  };
  writeLocalInstance(start.dataDir, local);
  const { host, coap } = settings;
  const operatorLink = await localOperatorLink(service.sql, settings.operatorUrl ?? local.baseUrl);
  print(
    startupBanner({ ...local, operatorLink }, start.dataDir, { host, isTokenRequired: coap.isTokenRequired }),
  );
}

/**
 * Root's PostgreSQL runs as another user, who passes through the folder; `npm run dev` starts it separately
 * from the service.
 */
const isPassedThrough = ({ databaseUrl, dataDir }: StartSettings): boolean =>
  process.getuid?.() === 0 && (databaseUrl === null || existsSync(join(dataDir, POSTGRES_FOLDER)));

async function refuseSecondStart(dataDir: string): Promise<void> {
  const local = await findRunning(dataDir);
  if (!local) return;
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
  /** The variable of the port. */
  name: string;
  what: string;
  reserve: ReservePort;
  print: StartOptions['print'];
}

/** Reserves the given port, and no other; if the default port is in use, any free one. */
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

async function migrateDatabase(service: Service, print: StartOptions['print']): Promise<void> {
  const names = await migrate(service.sql);
  if (names.length > 0) print(`Database: ${names.length} migrations run`);
}
