/**
 * `npm test`: format and lint, types and the OpenAPI document side by side, then every test, three files at a time, since
 * many of them mostly wait.
 * `npm test -- FILE…` runs only these files, one after the other. `--slowest` lists the slowest tests and files.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

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
process.exit(await run({ name: 'Tests', command: 'mocha', args: mocha }, 'at once'));
