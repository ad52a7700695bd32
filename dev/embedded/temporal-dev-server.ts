/**
 * The embedded Temporal: `temporal server start-dev` on 127.0.0.1, with one shard on SQLite. For development and
 * tests; production uses its own server.
 *
 * Guaranteed: it ends with this process, however that ends; with a file, its workflows survive; two processes never share
 * a file; a server whose guard was killed is stopped by the next start on its file. Another version of the server starts a new file without the workflows of the old one, because it creates its
 * tables only in a new file.
 */
import { freePort, isFree } from './free-port.ts';
import { type Exit, supervise } from './supervise.ts';
import { addMissingSearchAttributes, serves } from './temporal-dev-server-client.ts';
import { markInitialized, pidFileOf, prepareFile } from './temporal-dev-server-file.ts';
import { StartError, untilServing } from './until-serving.ts';

export type SearchAttributeType = 'Text' | 'Keyword' | 'Int' | 'Double' | 'Bool' | 'Datetime' | 'KeywordList';

export interface TemporalDevServerOptions {
  /** The Temporal CLI. */
  cli: string;
  /** Keeps the state; the server's version is added to its name. Default: in memory. */
  dbFile?: string;
  /** Default: a free one. */
  port?: number;
  /** Of the web UI; another one while it is in use, and 0 for any. Default: no web UI. */
  uiPort?: number;
  searchAttributes: Record<string, SearchAttributeType>;
  /** The server's whole environment, without Temporal settings of the user. Default: empty. */
  env?: Record<string, string>;
  /** Called with each line of the server's output. */
  log: (line: string) => void;
  /** Called with messages for the user. */
  print?: (line: string) => void;
}

export interface TemporalDevServer {
  /** host:port */
  address: string;
  uiUrl: string | undefined;
  /** Contains the server's pid while it runs; undefined when its state is in memory. */
  pidFile: string | undefined;
  /** Resolves when the server has ended, for any reason. */
  exited: Promise<Exit>;
  stop(): Promise<void>;
}

/** Above the capacity of one machine: the default limits throttle long before the database does. */
const perSecondMax = 100_000;
const limits = [
  'frontend.rps',
  'frontend.namespaceRPS',
  'frontend.persistenceMaxQPS',
  'history.rps',
  'history.persistenceMaxQPS',
  'matching.rps',
  'matching.persistenceMaxQPS',
];

const startMs = 30_000;

export async function startTemporalDevServer(options: TemporalDevServerOptions): Promise<TemporalDevServer> {
  const { dbFile, cli, print = () => {} } = options;
  const file = dbFile === undefined ? undefined : await prepareFile(dbFile, cli, print);
  if (options.port !== undefined && !(await isFree(options.port))) {
    throw new Error(`The Temporal dev server cannot listen on port ${options.port}: it is in use.`);
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      const uiPort = options.uiPort === undefined ? undefined : await uiPortFor(options.uiPort, attempt);
      return await start(options, { file, port: options.port ?? (await freePort()), uiPort });
    } catch (error) {
      // The server chooses further free ports, which other processes may take first.
      if (!(error instanceof StartError) || !portTaken.test(error.message) || attempt === attemptsMax)
        throw error;
    }
  }
}

/** A port that looked free may have been taken since: only the first attempt insists on it. */
const uiPortFor = async (wanted: number, attempt: number): Promise<number> =>
  wanted !== 0 && attempt === 1 && (await isFree(wanted)) ? wanted : freePort();

const portTaken = /address already in use/;
const attemptsMax = 3;

async function start(
  { cli, searchAttributes, env = {}, log }: TemporalDevServerOptions,
  { file, port, uiPort }: { file?: string; port: number; uiPort?: number },
) {
  const address = `127.0.0.1:${port}`;
  const server = supervise({
    command: cli,
    args: flags({ port, uiPort, file, searchAttributes }),
    env,
    stopSignal: 'SIGINT',
    pidFile: file && pidFileOf(file),
    log,
  });
  await untilServing(server, {
    name: 'The Temporal dev server',
    timeoutMs: startMs,
    probe: () => serves(address),
  });
  try {
    if (file) await markInitialized(file);
    await addMissingSearchAttributes(searchAttributes, { cli, address });
  } catch (error) {
    await server.stop();
    throw error;
  }
  const uiUrl = uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}`;
  const pidFile = file && pidFileOf(file);
  return { address, uiUrl, pidFile, exited: server.exited, stop: () => server.stop() };
}

/**
 * One process needs one partition per queue, and no search for work that a cluster has lost. Queues without
 * pollers are unloaded soon: each costs processor time while it is loaded, and tests leave thousands.
 */
const forOneProcess = {
  'matching.numTaskqueueReadPartitions': '1',
  'matching.numTaskqueueWritePartitions': '1',
  'matching.maxTaskQueueIdleTime': '"30s"',
  'matching.enableFairness': 'true',
  'worker.executionsScannerEnabled': 'false',
  'worker.historyScannerEnabled': 'false',
  'worker.taskQueueScannerEnabled': 'false',
};

interface Flags {
  port: number;
  uiPort: number | undefined;
  file: string | undefined;
  searchAttributes: Record<string, SearchAttributeType>;
}

const flags = ({ port, uiPort, file, searchAttributes }: Flags) =>
  [
    ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'error'],
    uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort), '--ui-disable-news-fetch'],
    file === undefined ? [] : ['--db-filename', file],
    Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    limits.flatMap((key) => ['--dynamic-config-value', `${key}=${perSecondMax}`]),
    Object.entries(forOneProcess).flatMap((setting) => ['--dynamic-config-value', setting.join('=')]),
  ].flat();
