/** The stack on a folder that is loaded once, with a table of met and missed limits. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OnStop } from '../../dev/embedded/run-and-stop.ts';
import type { Fleet } from '../support/fleet.ts';
import { type BenchStack, startServers, startStack } from '../support/stack.ts';
import { type Cell, printTable } from '../support/table.ts';
import { type Loaded, loadAll } from './load.ts';

export interface SizeBench extends Loaded {
  stack: BenchStack;
}

/** Device token, API key and further data of the organization with that number, from 0. */
export const fleetOf = ({ fleets }: Loaded, organization: number): Fleet => fleets[organization] as Fleet;

const print = (line: string): void => void process.stderr.write(`${line}\n`);
/** During loading, nothing has to survive a crash. */
const LOADING = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_wal_size: '32GB',
  maintenance_work_mem: '1GB',
  work_mem: '256MB',
};

export async function startSizeBench(onStop: OnStop): Promise<SizeBench> {
  const folder = process.env.SIZE_FOLDER ?? join(tmpdir(), 'dms-size');
  const loaded = await loadOnce(folder);
  return { ...loaded, stack: await startStack(onStop, {}, folder) };
}

const noteOf = (folder: string): string => join(folder, 'loaded.json');
const keepNote = (folder: string, loaded: Loaded): void =>
  writeFileSync(noteOf(folder), JSON.stringify(loaded));

async function loadOnce(folder: string): Promise<Loaded> {
  const devices = Number(process.env.SIZE_DEVICES ?? 1_000_000);
  const deliveries = Number(process.env.SIZE_DELIVERIES ?? 20_000_000);
  const note = noteOf(folder);
  if (existsSync(note)) {
    const loaded = JSON.parse(readFileSync(note, 'utf8')) as Loaded;
    print(`${folder} holds ${loaded.devices} devices and ${loaded.deliveries} deliveries`);
    return loaded;
  }
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  const servers = await startServers(folder, LOADING);
  try {
    const loaded = await loadAll(servers.sql, { devices, deliveries, print });
    keepNote(folder, loaded);
    return loaded;
  } finally {
    await servers.stop();
  }
}

export interface Line {
  what: string;
  value: number;
  unit: string;
  max: number;
}

export function printLines(title: string, lines: Line[]): void {
  const rows: Cell[][] = lines.map(({ what, value, unit, max }) => [
    what,
    `${value} ${unit}`,
    `≤ ${max} ${unit}`,
    value <= max ? 'held' : 'NOT HELD',
  ]);
  printTable(title, ['what', 'measured', 'bar', ''], rows);
}
