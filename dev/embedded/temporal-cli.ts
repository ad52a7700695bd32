/**
 * Finds the Temporal CLI, whose `server start-dev` is the embedded Temporal. In this order:
 * TEMPORAL_CLI_PATH, the PATH if its version is new enough, the cache, Temporal's release, a build with Go
 * from the pinned module in tools/temporal. Each step prints its progress; none waits long for a missing
 * network.
 */
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Env, findProgram, isExecutable } from './find-program.ts';
import { buildWithGo, type GoBuildOptions } from './go-build.ts';
import { downloadTemporalCli } from './temporal-cli-download.ts';
import { describeVersion, isNewEnough, pinned, versionOf } from './temporal-cli-version.ts';
import { inUnfinishedFolder, removeLeftovers, untilOthersFinished } from './unfinished-folder.ts';

export interface FindTemporalCli {
  env: Env;
  /** Keeps the downloaded or built program; created if it does not exist. */
  cacheDir: string;
  /** Called with a line about each step. */
  print: (line: string) => void;
  /** Where to download from. Default: Temporal's own releases. */
  downloadFrom?: string;
  /** sha256 of the archives by platform. Default: the pinned ones. */
  sums?: Readonly<Record<string, string>>;
}

export async function findTemporalCli(wanted: FindTemporalCli): Promise<string> {
  const { TEMPORAL_CLI_PATH } = wanted.env;
  if (TEMPORAL_CLI_PATH) return chosen(TEMPORAL_CLI_PATH, wanted.print);
  return (await onPath(wanted)) ?? (await inCache(wanted)) ?? (await fromOthers(wanted)) ?? obtain(wanted);
}

async function chosen(path: string, print: FindTemporalCli['print']): Promise<string> {
  const version = await versionOf(path).catch((cause) => {
    throw new Error(`TEMPORAL_CLI_PATH is ${path}, which is not a working Temporal CLI: ${cause.message}`, {
      cause,
    });
  });
  const remark = isNewEnough(version)
    ? ''
    : `, which is older than the ${pinned.cli} this service is made for`;
  print(`Temporal CLI: TEMPORAL_CLI_PATH, ${path} (${describeVersion(version)})${remark}`);
  return path;
}

async function onPath({ env, print }: FindTemporalCli): Promise<string | undefined> {
  const path = await findProgram('temporal', env);
  if (!path) return undefined;
  const version = await versionOf(path).catch(() => undefined);
  if (version && isNewEnough(version)) {
    print(`Temporal CLI: ${path} from the PATH (${describeVersion(version)})`);
    return path;
  }
  const fault = version ? `is ${describeVersion(version)}, older than ${pinned.cli}` : 'does not run';
  print(`Temporal CLI: ${path} on the PATH ${fault}; looking further`);
  return undefined;
}

async function inCache({ cacheDir, print }: FindTemporalCli): Promise<string | undefined> {
  const path = cachePath(cacheDir);
  if (!(await isExecutable(path))) return undefined;
  const version = await versionOf(path).catch(() => undefined);
  print(`Temporal CLI: ${path} from the cache${version ? '' : ' does not run; getting another'}`);
  return version && path;
}

/** One of several concurrent processes builds, because parallel builds would only slow each other down. */
async function fromOthers(wanted: FindTemporalCli): Promise<string | undefined> {
  const { cacheDir, print } = wanted;
  await mkdir(cacheDir, { recursive: true });
  await untilOthersFinished(cacheDir, unfinishedPrefix, (pid) =>
    print(`Temporal CLI: process ${pid} is getting it; waiting for that`),
  );
  return inCache(wanted);
}

async function obtain(wanted: FindTemporalCli): Promise<string> {
  const target = cachePath(wanted.cacheDir);
  await removeLeftovers(wanted.cacheDir, unfinishedPrefix);
  return inUnfinishedFolder(wanted.cacheDir, unfinishedPrefix, async (folder) => {
    const failures: string[] = [];
    for (const provide of [downloadTemporalCli, buildTemporalCli]) {
      try {
        await install(join(folder, 'temporal'), target, (program) => provide(program, wanted));
        wanted.print(`Temporal CLI: kept in ${target}`);
        return target;
      } catch (error) {
        failures.push((error as Error).message);
        wanted.print(`Temporal CLI: ${(error as Error).message}`);
      }
    }
    throw new Error(noCliMessage(target, failures));
  });
}

/** Written under another name first, so that other processes see a complete program or none. */
async function install(
  program: string,
  target: string,
  provide: (program: string) => Promise<void>,
): Promise<void> {
  await rm(program, { force: true });
  await provide(program);
  await versionOf(program);
  await rename(program, target);
}

const unfinishedPrefix = 'unfinished-';
const cachePath = (cacheDir: string) => join(cacheDir, `temporal-${pinned.cli}`);

const noCliMessage = (target: string, failures: string[]) => `There is no Temporal CLI ${pinned.cli}:
${failures.map((failure) => `  ${failure}`).join('\n')}
Any one of these helps:
  set TEMPORAL_ADDRESS to the address of a Temporal server that runs already
  set TEMPORAL_CLI_PATH to a Temporal CLI
  have "temporal", ${pinned.cli} or newer, on the PATH
  put that program at ${target}
  let this machine reach github.com
  install Go, with which it is built from tools/temporal`;

const cliPackage = 'github.com/temporalio/cli';

/** Builds the CLI from the module that tools/temporal pins, and writes it to the target path. */
export const buildTemporalCli = (target: string, options: GoBuildOptions): Promise<void> =>
  buildWithGo(
    target,
    {
      name: 'Temporal CLI',
      version: pinned.cli,
      packages: [`${cliPackage}/cmd/temporal`],
      linkerFlags: `-s -w -X ${cliPackage}/internal/temporalcli.Version=${pinned.cli}`,
    },
    options,
  );
