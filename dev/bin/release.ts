/** `npm run release -- VERSION`: tests, stamps, commits and packs a release. It publishes nothing. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runMain } from '../../src/process/run-main.ts';
import { run } from '../release/command.ts';
import { BRANCH, release } from '../release/release.ts';
import { ROOT } from '../source/imports.ts';

const USAGE = `npm run release -- VERSION [--dry-run] [--tested] [--tag] [--without-image]

  Stamps VERSION on a commit of its own, installs and tests that commit, packs it into dist/release, and moves the branch
  ${BRANCH} to it. Nothing is published or pushed: the commands that do so are printed at the end.

  --dry-run  leaves the branch as it is; may be tried on any branch
  --tested   leaves the tests out, because they passed for the commit before
  --tag      also tags the commit
  --without-image  packs no image, where base images cannot be pulled
`;

const OPTIONS = {
  'dry-run': { type: 'boolean', default: false },
  tested: { type: 'boolean', default: false },
  tag: { type: 'boolean', default: false },
  'without-image': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

await runMain(async () => {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [version] = positionals;
  if (values.help || version === undefined || positionals.length > 1) {
    process.exitCode = values.help ? 0 : 2;
    return void process.stdout.write(USAGE);
  }
  const packing = values['without-image'] ? ['--without-image'] : [];
  const commit = release(
    { version, isDryRun: values['dry-run'], isTagged: values.tag },
    {
      root: ROOT,
      getNow: () => new Date(),
      test(checkout) {
        run(checkout, 'npm', 'ci', '--no-audit', '--no-fund');
        if (!values.tested) run(checkout, 'npm', 'test');
      },
      pack: (checkout) =>
        run(checkout, 'npm', 'run', '--silent', 'release:pack', '--', join(ROOT, 'dist/release'), ...packing),
    },
  );
  process.stdout.write(`${values['dry-run'] ? 'Would release' : 'Released'} ${version} as ${commit}\n`);
});
