/**
 * `npm run test:runtimes`: the tests on the minimum version of Node.js, on one in between, and on the one in
 * the image, each from the npm package `node`. `npm run test:runtimes -- FILE…` runs only these files.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { RUNTIMES } from './support/runtimes.ts';

const files = process.argv.slice(2);

/** Applies to all children of `command`, too, because the version is first on their PATH. */
async function passes(version: string, command: string[]): Promise<boolean> {
  const child = spawn('npm', ['exec', '--yes', `--package=node@${version}`, '--', ...command], {
    stdio: 'inherit',
  });
  const [code] = await once(child, 'close');
  return code === 0;
}

const isInstalled = (version: string): Promise<boolean> =>
  passes(version, ['node', '-e', `process.exit(process.version === 'v${version}' ? 0 : 1)`]);

const failed: string[] = [];
for (const version of RUNTIMES) {
  process.stdout.write(`\nNode.js ${version}\n`);
  if (!(await isInstalled(version))) {
    process.stdout.write(`The npm package node@${version} brought another version, or none.\n`);
    failed.push(version);
  } else if (!(await passes(version, ['node', '--import=#typescript', 'test/run.ts', ...files])))
    failed.push(version);
}
process.stdout.write(
  failed.length === 0
    ? `\nPassed on Node.js ${RUNTIMES.join(', ')}\n`
    : `\nFailed on Node.js ${failed.join(', ')}\n`,
);
process.exit(failed.length === 0 ? 0 : 1);
