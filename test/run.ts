/**
 * `npm test`: format and lint, then types, then the OpenAPI document, then every test, three files at a time, since many
 * of them mostly wait.
 * `npm test -- FILE…` runs only the files named, one after the other.
 */
import { spawnSync } from 'node:child_process';

interface Step {
  name: string;
  command: string;
  args: string[];
}

const files = process.argv.slice(2);
const all = ['--parallel', '--jobs', '3', 'test/**/*.test.ts'];
const mocha = ['--reporter', 'test/support/reporter.cjs', ...(files.length > 0 ? files : all)];
const checks: Step[] = [
  { name: 'Format and lint', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'Types', command: 'tsc', args: ['-p', '.'] },
  { name: 'OpenAPI by Redocly', command: 'redocly', args: ['lint', '--format=stylish', 'openapi.json'] },
  {
    name: 'OpenAPI by Spectral',
    command: 'spectral',
    args: ['lint', '--fail-severity=hint', 'openapi.json'],
  },
];
/** Linters send nothing and ask for nothing over the network. */
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_NOTIFICATIONS: 'true' };
const steps: Step[] = [...(files.length > 0 ? [] : checks), { name: 'Tests', command: 'mocha', args: mocha }];

for (const { name, command, args } of steps) {
  process.stdout.write(`\n${name}: ${command} ${args.join(' ')}\n`);
  const { status } = spawnSync('npx', ['--no-install', command, ...args], {
    stdio: 'inherit',
    env: files.length > 0 ? process.env : { ...process.env, ...OFFLINE, TESTS_SIDE_BY_SIDE: '1' },
  });
  if (status !== 0) {
    if (command !== 'mocha') process.stdout.write(`${name} failed\n0 passed, 1 failed\n`);
    process.exit(status ?? 1);
  }
}
