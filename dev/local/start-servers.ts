/** The servers of the service, embedded unless the environment names others. */
import { join } from 'node:path';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/workflow-ids.ts';
import { ensureDatabase } from '../embedded/ensure-database.ts';
import { startPostgres } from '../embedded/postgres.ts';
import { findTemporalCli } from '../embedded/temporal-cli.ts';
import { startTemporalDevServer } from '../embedded/temporal-dev-server.ts';
import { openLogFile } from './log-file.ts';
import type { StartSettings } from './start-settings.ts';

/** Within the data folder. */
export const POSTGRES_FOLDER = 'postgres';

/** The usual one of a Temporal UI: the links in `docs/temporal-ui.md` name it. */
const UI_PORT = 8233;

export interface StartOptions {
  start: StartSettings;
  print(line: string): void;
  /** Called with functions that stop a server later, the last one first. */
  onStop(stop: () => Promise<unknown>): void;
  /** Called when a server that the service depends on has ended. */
  onServerExit(exitCode: number): void;
}

export interface Servers {
  databaseUrl: string;
  /** host:port */
  temporalAddress: string;
  /** Null without a known UI. */
  temporalUi: string | null;
}

/** Starts them in parallel, because the first start of each takes long. The data folder exists. */
export async function startServers(options: StartOptions): Promise<Servers> {
  const [databaseUrl, temporal] = await Promise.all([database(options), temporalServer(options)]);
  return { databaseUrl, temporalAddress: temporal.address, temporalUi: temporal.uiUrl };
}

async function database({ start, print, onStop, onServerExit }: StartOptions): Promise<string> {
  if (start.databaseUrl !== null) {
    print('PostgreSQL: the one of DATABASE_URL');
    return start.databaseUrl;
  }
  print('PostgreSQL: starting the embedded server');
  const log = openLogFile(start.dataDir, 'postgres.log');
  const postgres = await startPostgres({
    dataDir: join(start.dataDir, POSTGRES_FOLDER),
    log: (line) => void log.write(`${line}\n`),
    print,
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
    uiPort: UI_PORT,
    searchAttributes: SEARCH_ATTRIBUTES,
    log: (line) => void log.write(`${line}\n`),
    print,
  });
  watch(temporal, 'Temporal', { print, onStop, onServerExit });
  return { address: temporal.address, uiUrl: temporal.uiUrl ?? null };
}

/** The service cannot run without its servers. Its data is kept for the next start. */
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
