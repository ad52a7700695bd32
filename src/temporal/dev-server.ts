/**
 * The embedded Temporal: `temporal server start-dev` on 127.0.0.1, with one shard on SQLite. For development and
 * tests; production brings its own server.
 *
 * Guaranteed: it ends with this process, however that ends; with a file, its workflows are there at the next start;
 * two processes never share a file. Another version of the server begins a new file, because it makes its tables
 * only then; the workflows of the old one stay behind.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { freePort, isFree } from '../embedded/free-port.ts';
import { type Exit, supervise } from '../embedded/supervise.ts';
import { untilServing } from '../embedded/until-serving.ts';
import { markWhole, pidFileOf, prepareFile } from './dev-server-file.ts';

export type SearchAttributeType = 'Text' | 'Keyword' | 'Int' | 'Double' | 'Bool' | 'Datetime' | 'KeywordList';

export interface TemporalDevServerOptions {
  /** The Temporal CLI. */
  cli: string;
  /** Keeps the state; the server's version goes into its name. In memory without it. */
  dbFile?: string;
  /** A free one unless given. */
  port?: number;
  /** There is no web UI without it. */
  uiPort?: number;
  searchAttributes: Record<string, SearchAttributeType>;
  /** Gets each line of the server's output. */
  log: (line: string) => void;
}

export interface TemporalDevServer {
  /** host:port */
  address: string;
  uiUrl: string | undefined;
  /** Resolves when the server is gone, asked for or not. */
  exited: Promise<Exit>;
  stop(): Promise<void>;
}

/** Far above what one machine does: the defaults throttle long before the database. */
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
  const { cli, uiPort, searchAttributes, log } = options;
  const file = options.dbFile === undefined ? undefined : await prepareFile(options.dbFile, cli);
  const port = await usable(options.port);
  const address = `127.0.0.1:${port}`;
  const server = supervise({
    command: cli,
    args: flags({ port, uiPort, file, searchAttributes }),
    env: {}, // nobody's Temporal settings
    stopSignal: 'SIGINT',
    pidFile: file && pidFileOf(file),
    log,
  });
  const probe = async () => (await listens(port)) && (await serves(address));
  await untilServing(server, { name: 'The Temporal dev server', timeoutMs: startMs, probe });
  if (file) await markWhole(file);
  await addMissing(searchAttributes, { cli, address });
  const uiUrl = uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}`;
  return { address, uiUrl, exited: server.exited, stop: () => server.stop() };
}

async function usable(port?: number): Promise<number> {
  if (port === undefined) return freePort();
  if (await isFree(port)) return port;
  throw new Error(`The Temporal dev server cannot listen on port ${port}: it is in use.`);
}

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
  ].flat();

/** Before any gRPC: its client waits a second after a refused connection. */
async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function serves(address: string): Promise<boolean> {
  return withConnection(address, async ({ healthService, workflowService }) => {
    const { status } = await healthService.check({
      service: 'temporal.api.workflowservice.v1.WorkflowService',
    });
    await workflowService.describeNamespace({ namespace });
    return status === serving;
  }).catch(() => false);
}

const namespace = 'default';
const serving = 1; // of grpc.health.v1

/** The flags count only when the file is new; attributes that came later are added here. */
async function addMissing(
  wanted: Record<string, string>,
  { cli, address }: { cli: string; address: string },
) {
  const { customAttributes } = await withConnection(address, ({ operatorService }) =>
    operatorService.listSearchAttributes({ namespace }),
  );
  for (const [name, type] of Object.entries(wanted)) {
    if (name in customAttributes) continue;
    const attribute = ['--address', address, '--name', name, '--type', type];
    await promisify(execFile)(cli, ['operator', 'search-attribute', 'create', ...attribute], { env: {} });
  }
}

async function withConnection<T>(address: string, use: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address, connectTimeout: '5s' });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
