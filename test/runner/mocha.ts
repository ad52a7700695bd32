/** One run of mocha. A run that ends without a report has failed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../dev/source/imports.ts';

export interface MochaRun {
  /** In the order of their start. */
  files: string[];
  filesAtOnce: number;
  /** Lists the slowest tests and files. */
  isSlowest: boolean;
}

export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  /** By file, including hooks. */
  durationsMs: Record<string, number>;
}

export async function runMocha({ files, filesAtOnce, isSlowest }: MochaRun): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'dms-report-'));
  const report = join(folder, 'report.json');
  try {
    const isParallel = filesAtOnce > 1;
    const child = spawn(
      process.execPath,
      [
        `${ROOT}node_modules/mocha/bin/mocha.js`,
        ...['--reporter', 'test/runner/reporter.cjs', '--reporter-option', `report=${report}`],
        ...(isSlowest ? ['--reporter-option', 'slowest=true'] : []),
        ...(isParallel ? ['--parallel', '--jobs', String(filesAtOnce)] : []),
        ...files,
      ],
      {
        cwd: ROOT,
        stdio: 'inherit',
        env: isParallel ? { ...process.env, TESTS_SIDE_BY_SIDE: '1' } : process.env,
      },
    );
    const [code] = await once(child, 'close');
    return outcomeOf(report, code);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function outcomeOf(report: string, code: number | null): Outcome {
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, durationsMs: {} };
  const outcome = JSON.parse(readFileSync(report, 'utf8')) as Outcome;
  return code === 0 ? outcome : { ...outcome, failed: Math.max(1, outcome.failed) };
}
