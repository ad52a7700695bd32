/**
 * `npm test`: format and lint, types and the OpenAPI document side by side, then every test, three files at a time, since
 * many of them mostly wait.
 * `npm test -- FILE…` runs only these files, one after the other. `--slowest` lists the slowest tests and files.
 *
 * A file that fails beside others runs once more alone, so that a busy machine does not decide; it is listed as unstable
 * when it passes then. More than five such files are no accident: nothing runs again.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Step {
  name: string;
  command: string;
  args: string[];
}

interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  failedFiles: string[];
  hasFailed: boolean;
}

const SLOWEST = '--slowest';
const MOST_RUN_AGAIN = 5;
/** By it a second run checks only what has changed. */
const TYPES_SEEN = 'node_modules/.cache/tsconfig.tsbuildinfo';

const given = process.argv.slice(2);
const files = given.filter((each) => each !== SLOWEST);
const reporter = ['--reporter', 'test/support/reporter.cjs'];
const reporterOptions = given.includes(SLOWEST) ? ['--reporter-option', 'slowest=true'] : [];
const all = ['--parallel', '--jobs', '3', 'test/**/*.test.ts'];
const checks: Step[] = [
  { name: 'Format and lint', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'Types', command: 'tsc', args: ['-p', '.', '--incremental', '--tsBuildInfoFile', TYPES_SEEN] },
  { name: 'OpenAPI by Redocly', command: 'redocly', args: ['lint', '--format=stylish', 'openapi.json'] },
  {
    name: 'OpenAPI by Spectral',
    command: 'spectral',
    args: ['lint', '--fail-severity=hint', 'openapi.json'],
  },
];
/** Linters send nothing and ask for nothing over the network. */
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_NOTIFICATIONS: 'true' };
const env = files.length > 0 ? process.env : { ...process.env, ...OFFLINE, TESTS_SIDE_BY_SIDE: '1' };

/** Answers with the exit code. What a check prints is kept until it has ended, so that checks do not mix. */
async function run({ name, command, args }: Step, prints: 'at once' | 'at the end'): Promise<number> {
  const title = `\n${name}: ${command} ${args.join(' ')}\n`;
  if (prints === 'at once') process.stdout.write(title);
  const child = spawn('npx', ['--no-install', command, ...args], {
    stdio: ['inherit', prints === 'at once' ? 'inherit' : 'pipe', prints === 'at once' ? 'inherit' : 'pipe'],
    env,
  });
  let printed = title;
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (printed += text));
  const [code] = await once(child, 'close');
  if (prints === 'at the end') process.stdout.write(printed);
  if (code !== 0 && prints === 'at the end') process.stdout.write(`${name} failed\n`);
  return code ?? 1;
}

if (files.length === 0) {
  const codes = await Promise.all(checks.map((check) => run(check, 'at the end')));
  if (codes.some((code) => code !== 0)) {
    process.stdout.write('0 passed, 1 failed\n');
    process.exit(1);
  }
}
const folder = mkdtempSync(join(tmpdir(), 'dms-tests-'));
try {
  process.exitCode = await runTests();
} finally {
  rmSync(folder, { recursive: true });
}

/** Answers with the exit code, and prints the last line for readers of logs. */
async function runTests(): Promise<number> {
  const first = await runMocha('Tests', files.length > 0 ? files : all);
  if (!first.hasFailed || files.length > 0 || !areFew(first.failedFiles)) return sayCounts(first);
  const again = await runMocha('Once more, alone', first.failedFiles);
  if (!again.hasFailed)
    process.stdout.write(
      `\nUnstable (failed beside others, passed alone):\n  ${first.failedFiles.join('\n  ')}\n`,
    );
  return sayCounts({ ...again, passed: first.passed + first.failed - again.failed });
}

/** A failure that names no file happened outside of all of them. */
function areFew(failed: string[]): boolean {
  return failed.length > 0 && failed.length <= MOST_RUN_AGAIN && !failed.includes('');
}

function sayCounts({ passed, failed, skipped, hasFailed }: Outcome): number {
  if (skipped > 0) process.stdout.write(`${skipped} skipped\n`);
  process.stdout.write(`${passed} passed, ${hasFailed ? Math.max(failed, 1) : failed} failed\n`);
  return hasFailed ? 1 : 0;
}

/** One run of mocha. One that ends without a report has failed. */
async function runMocha(name: string, which: string[]): Promise<Outcome> {
  const report = join(mkdtempSync(join(folder, 'run-')), 'report.json');
  const options = [...reporterOptions, '--reporter-option', `report=${report}`];
  const code = await run({ name, command: 'mocha', args: [...reporter, ...options, ...which] }, 'at once');
  const nothing = { passed: 0, failed: 0, skipped: 0, failedFiles: [] };
  const counts = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : nothing;
  return { ...counts, hasFailed: code !== 0 || !existsSync(report) };
}
