/** Programs that a release runs, one after the other. */
import { execFileSync, spawnSync } from 'node:child_process';

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Runs a program that prints for the person who releases. */
export const run = (folder: string, program: string, ...args: string[]): void =>
  void execFileSync(program, args, { cwd: folder, stdio: 'inherit' });

/** Returns the output of a program. */
export function capture(folder: string, program: string, ...args: string[]): string {
  const ended = spawnSync(program, args, { cwd: folder, encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX });
  if (ended.error) throw ended.error;
  // Compilers print what is wrong to their output.
  if (ended.status !== 0)
    throw new Error(`${program} ${args.join(' ')} failed:\n${ended.stdout}${ended.stderr}`);
  return ended.stdout.trim();
}

/** Whether a program is on the search path and succeeds. */
export function succeeds(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
