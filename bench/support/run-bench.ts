/** Another bench as a program of its own, with the figures that it keeps. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figures, readFigures } from './figures.ts';

/**
 * Its tables go to the standard error, so that the standard output has those of the caller alone. Throws if the
 * bench fails.
 */
export async function runBench(args: string[], env: Record<string, string> = {}): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'dms-figures-'));
  const FIGURES_FILE = join(folder, 'figures');
  try {
    const child = spawn(process.execPath, ['--import=#typescript', ...args], {
      env: { ...process.env, ...env, FIGURES_FILE },
      stdio: ['ignore', 2, 2],
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
    return Object.assign({}, ...readFigures(FIGURES_FILE));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
