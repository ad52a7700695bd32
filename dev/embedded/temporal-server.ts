/**
 * The Temporal server as production runs it, on PostgreSQL and with 512 shards, on 127.0.0.1. It has neither a
 * namespace nor search attributes: `dms temporal setup` creates them.
 *
 * Guaranteed: it ends with this process, however that ends; started again on the same database and ports it continues.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePortBelow } from './free-port.ts';
import { type Exit, supervise } from './supervise.ts';
import { answersHealthy } from './temporal-dev-server-client.ts';
import type { TemporalServerPrograms } from './temporal-server-programs.ts';
import { untilServing } from './until-serving.ts';

export interface TemporalServerOptions {
  programs: TemporalServerPrograms;
  /** URL of any database of the server; Temporal gets two databases of its own there. */
  postgresUrl: string;
  /** Default: free ones. For a server that was killed: its former ports. */
  ports?: TemporalPorts;
  /** Contains the server's pid while it runs. */
  pidFile?: string;
  /** Called with each line of the server's output. */
  log: (line: string) => void;
}

export interface TemporalServer {
  /** host:port */
  address: string;
  ports: TemporalPorts;
  /** Resolves when the server has ended, for any reason. */
  exited: Promise<Exit>;
  stop(): Promise<void>;
}

/**
 * Named by the server's own variables. Other members of a cluster remember them, so a restarted server keeps
 * them.
 */
export type TemporalPorts = Record<(typeof portNames)[number], string>;

const portNames = [
  'FRONTEND_GRPC_PORT',
  'FRONTEND_HTTP_PORT',
  'FRONTEND_MEMBERSHIP_PORT',
  'MATCHING_GRPC_PORT',
  'MATCHING_MEMBERSHIP_PORT',
  'HISTORY_GRPC_PORT',
  'HISTORY_MEMBERSHIP_PORT',
  'WORKER_GRPC_PORT',
  'WORKER_MEMBERSHIP_PORT',
] as const;

/** Cannot be changed once the database exists. */
const shards = 512;
/** Temporal stores the ports of its members in signed 16-bit columns. */
const portsBelow = 32_768;
const host = '127.0.0.1';
const startMs = 120_000;
const deployFile = (name: string) => fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url));

/** Creates the two databases, or brings their schema up to date, with the script of a deployment. */
export async function setUpTemporalSchema(
  programs: TemporalServerPrograms,
  postgresUrl: string,
): Promise<void> {
  const env = {
    ...databaseVariables(postgresUrl),
    TEMPORAL_SQL_TOOL: programs.sqlTool,
    PATH: '/usr/bin:/bin',
  };
  await promisify(execFile)('/bin/sh', [deployFile('temporal-schema.sh')], { env });
}

export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  const { programs, postgresUrl, pidFile, log } = options;
  const ports = options.ports ?? (await freePorts());
  const address = `${host}:${ports.FRONTEND_GRPC_PORT}`;
  const server = supervise({
    command: programs.server,
    args: ['start'],
    env: { ...databaseVariables(postgresUrl), ...settings, ...ports },
    pidFile,
    log,
  });
  const probe = () => answersHealthy(address);
  await untilServing(server, { name: 'The Temporal server', timeoutMs: startMs, probe });
  return { address, ports, exited: server.exited, stop: () => server.stop() };
}

const settings = {
  NUM_HISTORY_SHARDS: String(shards),
  SQL_MAX_CONNS: '20',
  BIND_ON_IP: host,
  TEMPORAL_BROADCAST_ADDRESS: host,
  DYNAMIC_CONFIG_FILE_PATH: deployFile('temporal-dynamic-config.yaml'),
  TEMPORAL_ALLOW_NO_AUTH: 'true',
  LOG_LEVEL: 'warn',
};

function databaseVariables(postgresUrl: string): Record<string, string> {
  const { hostname, port, username, password } = new URL(postgresUrl);
  return {
    DB: 'postgres12_pgx',
    POSTGRES_SEEDS: hostname,
    DB_PORT: port,
    POSTGRES_USER: decodeURIComponent(username),
    POSTGRES_PWD: decodeURIComponent(password),
    DBNAME: 'temporal',
    VISIBILITY_DBNAME: 'temporal_visibility',
  };
}

async function freePorts(): Promise<TemporalPorts> {
  const ports = new Set<number>();
  while (ports.size < portNames.length) ports.add(await freePortBelow(portsBelow));
  const all = [...ports];
  return Object.fromEntries(portNames.map((name, index) => [name, String(all[index])])) as TemporalPorts;
}
