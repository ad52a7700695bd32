/**
 * The static checks: format, lint, types and the OpenAPI document. They run beside the tests, at a lower
 * priority.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { ROOT } from '../../dev/source/imports.ts';

interface Check {
  name: string;
  /** Files to check; without any, everything. */
  file?: string;
  /** Path of a program in node_modules. */
  program: string;
  args: string[];
}

const CHECKS: readonly Check[] = [
  { name: 'Format and lint', program: '.bin/biome', args: ['check', '--error-on-warnings', '.'] },
  // The native compiler, which is five times as fast as the one in JavaScript. It checks only changes again.
  {
    name: 'Types',
    program: 'typescript-native/bin/tsc',
    args: ['-p', '.', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/tsconfig.tsbuildinfo'],
  },
  {
    name: 'OpenAPI by Redocly',
    file: 'openapi.json',
    program: '.bin/redocly',
    args: ['lint', '--format=stylish', 'openapi.json'],
  },
  {
    name: 'OpenAPI by Spectral',
    file: 'openapi.json',
    program: '.bin/spectral',
    args: ['lint', '--fail-severity=hint', 'openapi.json'],
  },
];

/** Linters need no network. */
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_NOTIFICATIONS: 'true' };
const LOW_PRIORITY = 10;

/**
 * Runs the checks one after the other, or only those of the changed files. Resolves with the names of failed
 * checks, whose output is printed when they end.
 */
export async function startChecks(print: (text: string) => void, changed?: string[]): Promise<string[]> {
  const failed: string[] = [];
  for (const check of CHECKS) {
    if (changed && check.file !== undefined && !changed.includes(check.file)) continue;
    const { code, output } = await run(check);
    if (code === 0) continue;
    failed.push(check.name);
    print(`\n${check.name} failed: ${check.program} ${check.args.join(' ')}\n${output}\n`);
  }
  return failed;
}

async function run({ program, args }: Check): Promise<{ code: number | null; output: string }> {
  const child = spawn(`${ROOT}node_modules/${program}`, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...OFFLINE },
  });
  if (child.pid !== undefined) setPriority(child.pid, LOW_PRIORITY);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return { code, output };
}
