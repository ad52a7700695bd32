/**
 * Finds the Temporal server for production and the tool for its schema. In this order: the folder
 * TEMPORAL_SERVER_PATH, the PATH if the version is new enough, the cache, a build with Go from the pinned
 * module in tools/temporal. There is no download: the build needs only what the Temporal CLI also needs.
 */
import { execFile } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Env, findProgram, isExecutable } from './find-program.ts';
import { buildWithGo } from './go-build.ts';
import { isAtLeast, pinned } from './temporal-cli-version.ts';
import { inUnfinishedFolder, removeLeftovers, untilOthersFinished } from './unfinished-folder.ts';

export interface TemporalServerPrograms {
  server: string;
  sqlTool: string;
}

export interface FindTemporalServer {
  env: Env;
  /** Keeps the built programs; created if it does not exist. */
  cacheDir: string;
  /** Called with a line about each step. */
  print: (line: string) => void;
  /** Default: builds with Go. Writes both programs into the folder. */
  build?: (folder: string, wanted: FindTemporalServer) => Promise<void>;
}

const name = 'Temporal server';

export async function findTemporalServer(wanted: FindTemporalServer): Promise<TemporalServerPrograms> {
  const { TEMPORAL_SERVER_PATH } = wanted.env;
  if (TEMPORAL_SERVER_PATH) return chosen(TEMPORAL_SERVER_PATH, wanted.print);
  return (await onPath(wanted)) ?? (await inCache(wanted)) ?? (await fromOthers(wanted)) ?? obtain(wanted);
}

async function chosen(folder: string, print: FindTemporalServer['print']): Promise<TemporalServerPrograms> {
  const programs = programsIn(folder);
  const version = await versionOf(programs).catch((cause) => {
    throw new Error(
      `TEMPORAL_SERVER_PATH is ${folder}, which holds no working temporal-server and temporal-sql-tool: ${cause.message}`,
      { cause },
    );
  });
  print(`${name}: TEMPORAL_SERVER_PATH, ${folder} (version ${version})`);
  return programs;
}

async function onPath({ env, print }: FindTemporalServer): Promise<TemporalServerPrograms | undefined> {
  const server = await findProgram('temporal-server', env);
  if (!server) return undefined;
  const programs = programsIn(dirname(server));
  const version = await versionOf(programs).catch(() => undefined);
  if (version && isAtLeast(version, pinned.server)) {
    print(`${name}: ${server} from the PATH (version ${version})`);
    return programs;
  }
  print(`${name}: ${server} on the PATH is older than ${pinned.server} or not complete; looking further`);
  return undefined;
}

async function inCache({ cacheDir, print }: FindTemporalServer): Promise<TemporalServerPrograms | undefined> {
  const folder = cacheFolder(cacheDir);
  const programs = programsIn(folder);
  if (!(await isExecutable(programs.server))) return undefined;
  const version = await versionOf(programs).catch(() => undefined);
  print(`${name}: ${folder} from the cache${version ? '' : ' does not run; getting another'}`);
  return version ? programs : undefined;
}

/** One of several concurrent processes builds. */
async function fromOthers(wanted: FindTemporalServer): Promise<TemporalServerPrograms | undefined> {
  const { cacheDir, print } = wanted;
  await mkdir(cacheDir, { recursive: true });
  await untilOthersFinished(cacheDir, unfinishedPrefix, (pid) =>
    print(`${name}: process ${pid} is getting it; waiting for that`),
  );
  return inCache(wanted);
}

/** Written under another name first, so that other processes see both programs or none. */
async function obtain(wanted: FindTemporalServer): Promise<TemporalServerPrograms> {
  const { cacheDir, print, build = buildPrograms } = wanted;
  const target = cacheFolder(cacheDir);
  await removeLeftovers(cacheDir, unfinishedPrefix);
  try {
    await inUnfinishedFolder(cacheDir, unfinishedPrefix, async (folder) => {
      await build(folder, wanted);
      await versionOf(programsIn(folder));
      await rm(target, { recursive: true, force: true });
      await rename(folder, target);
    });
  } catch (cause) {
    throw new Error(noServerMessage(target, (cause as Error).message), { cause });
  }
  print(`${name}: kept in ${target}`);
  return programsIn(target);
}

async function buildPrograms(folder: string, { env, print }: FindTemporalServer): Promise<void> {
  const module = 'go.temporal.io/server/cmd';
  const packages = [`${module}/server`, `${module}/tools/sql`];
  await buildWithGo(
    `${folder}/`,
    { name, version: pinned.server, packages, linkerFlags: '-s -w' },
    { env, print },
  );
  await rename(join(folder, 'server'), programsIn(folder).server);
  await rename(join(folder, 'sql'), programsIn(folder).sqlTool);
}

/** Named as in Temporal's own release. */
const programsIn = (folder: string): TemporalServerPrograms => ({
  server: join(folder, 'temporal-server'),
  sqlTool: join(folder, 'temporal-sql-tool'),
});

/** @throws unless both programs run. */
async function versionOf({ server, sqlTool }: TemporalServerPrograms): Promise<string> {
  const run = promisify(execFile);
  const { stdout } = await run(server, ['--version'], { timeout: versionMs, env: {} });
  await run(sqlTool, ['--version'], { timeout: versionMs, env: {} });
  const version = /version v?(\d+\.\d+\.\d+\S*)/.exec(stdout)?.[1];
  if (!version) throw new Error(`it calls itself "${stdout.trim().slice(0, 80)}"`);
  return version;
}

const versionMs = 15_000;
const unfinishedPrefix = 'unfinished-server-';
const cacheFolder = (cacheDir: string) => join(cacheDir, `temporal-server-${pinned.server}`);

const noServerMessage = (target: string, failure: string) => `There is no Temporal server ${pinned.server}:
  ${failure}
Any one of these helps:
  set TEMPORAL_SERVER_PATH to a folder with temporal-server and temporal-sql-tool
  have both, ${pinned.server} or newer, on the PATH
  put both into ${target}
  install Go, with which they are built from tools/temporal`;
