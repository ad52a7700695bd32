/**
 * Builds programs from the modules that tools/temporal pins, for machines that reach Go's modules but not
 * Temporal's releases. Go compares every module with its checksum in go.sum, whatever its environment.
 */
import { fileURLToPath } from 'node:url';
import { type Env, findProgram } from './find-program.ts';
import { describeExit, supervise } from './supervise.ts';

const pinnedModules = fileURLToPath(new URL('../../tools/temporal', import.meta.url));
const progressMs = 5_000;

export interface GoBuildOptions {
  env: Env;
  print: (line: string) => void;
  /** The folder with go.mod and go.sum. Default: tools/temporal. */
  moduleFolder?: string;
}

export interface GoProgram {
  /** Used in progress messages: `Temporal CLI`. */
  name: string;
  version: string;
  packages: string[];
  linkerFlags: string;
}

/** Writes one package to the target path; several go into the target folder, named after their packages. */
export async function buildWithGo(
  target: string,
  program: GoProgram,
  options: GoBuildOptions,
): Promise<void> {
  const { env, print, moduleFolder = pinnedModules } = options;
  const go = await findProgram('go', env);
  if (!go) throw new Error('it cannot be built: there is no Go on the PATH');
  print(`${program.name}: building ${program.version} with ${go}; a first build takes about five minutes`);
  const progress = reportProgress(program.name, print);
  const { linkerFlags, packages } = program;
  const child = supervise({
    command: go,
    args: ['build', '-v', '-mod=readonly', '-trimpath', '-ldflags', linkerFlags, '-o', target, ...packages],
    cwd: moduleFolder,
    // Flags in the environment could name other files than those beside go.mod.
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

/** Go prints each package it has built, and nothing while it links. */
function reportProgress(name: string, print: GoBuildOptions['print']) {
  const start = Date.now();
  let count = 0;
  let last = 'nothing yet';
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - start) / 1000);
    print(`${name}: building, ${seconds} s, ${count} packages and modules so far, last ${last}`);
  }, progressMs);
  return {
    line(text: string) {
      count += 1;
      last = text;
    },
    end: () => clearInterval(timer),
  };
}
