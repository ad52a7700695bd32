/**
 * `npm test`: format and lint, then types, then the OpenAPI document, then every test, three files at a time, since many
 * of them mostly wait.
 * `npm test -- FILE…` runs only these files, one after the other. `--slowest` lists the slowest tests and files.
 */
import { spawnSync } from 'node:child_process';

interface Step {
  name: string;
  command: string;
  args: string[];
}

const SLOWEST = '--slowest';

const given = process.argv.slice(2);
const files = given.filter((each) => each !== SLOWEST);
const reporter = ['--reporter', 'test/support/reporter.cjs'];
const reporterOptions = given.includes(SLOWEST) ? ['--reporter-option', 'slowest=true'] : [];
const all = ['--parallel', '--jobs', '3', 'test/**/*.test.ts'];
const mocha = [...reporter, ...reporterOptions, ...(files.length > 0 ? files : all)];
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
