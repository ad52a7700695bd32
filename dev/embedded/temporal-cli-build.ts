/**
 * Builds the Temporal CLI from the module that tools/temporal pins, for machines that reach Go's modules but not
 * Temporal's release. Go compares every module with its checksum in go.sum, whatever its environment says. A first build takes about five minutes, so it reports its progress.
 */
import { fileURLToPath } from 'node:url';
import { type Env, findProgram } from './find-program.ts';
import { describeExit, supervise } from './supervise.ts';
import { pinned } from './temporal-cli-version.ts';

const pinnedModules = fileURLToPath(new URL('../../tools/temporal', import.meta.url));
const cliPackage = 'github.com/temporalio/cli';
const progressMs = 5_000;

export interface BuildOptions {
  env: Env;
  print: (line: string) => void;
  /** With the go.mod and go.sum. Default: tools/temporal. */
  moduleFolder?: string;
}

/** Writes the CLI to the target path. */
export async function buildTemporalCli(target: string, options: BuildOptions): Promise<void> {
  const { env, print } = options;
  const go = await findProgram('go', env);
  if (!go) throw new Error('it cannot be built: there is no Go on the PATH');
  print(`Temporal CLI: building ${pinned.cli} with ${go}; a first build takes about five minutes`);
  await build(go, target, options);
}

async function build(go: string, target: string, options: BuildOptions): Promise<void> {
  const { env, print, moduleFolder = pinnedModules } = options;
  const progress = reportProgress(print);
  const child = supervise({
    command: go,
    args: ['build', '-v', '-mod=readonly', '-trimpath', '-ldflags', linkerFlags, '-o', target, mainPackage],
    cwd: moduleFolder,
    // Flags of the environment could name other files than those beside go.mod.
    env: { ...env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly -buildvcs=false' },
    log: progress.line,
  });
  const exit = await child.exited.finally(progress.end);
  if (exit.code !== 0) {
    throw new Error(
      `the build with Go failed (${describeExit(exit)}): ${child.lastLines().slice(-5).join(' | ')}`,
    );
  }
}

const mainPackage = `${cliPackage}/cmd/temporal`;
const linkerFlags = `-s -w -X ${cliPackage}/internal/temporalcli.Version=${pinned.cli}`;

/** Go prints each package it has built, and nothing while it links. */
function reportProgress(print: BuildOptions['print']) {
  const start = Date.now();
  let count = 0;
  let last = 'nothing yet';
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - start) / 1000);
    print(`Temporal CLI: building, ${seconds} s, ${count} packages and modules so far, last ${last}`);
  }, progressMs);
  return {
    line(text: string) {
      count += 1;
      last = text;
    },
    end: () => clearInterval(timer),
  };
}
