/**
 * Makes a release: stamps and commits the version in a checkout of its own, tests and packs that commit, and only then moves
 * the branch to it. A release that fails, or is killed, at any line leaves the branch as it was.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dateUnreleased, unreleasedNotes } from './changelog.ts';
import { capture, run } from './command.ts';
import { STAMPED_FILES, stampVersion } from './stamped-files.ts';
import { isNewer, isVersion, tagOf } from './version.ts';

export const BRANCH = 'main';

export interface ReleaseOptions {
  version: string;
  /** Neither moves the branch nor tags. */
  isDryRun: boolean;
  isTagged: boolean;
}

export interface ReleaseSteps {
  /** The folder of the repository. */
  root: string;
  getNow(): Date;
  /** Throws when the commit must not be released. */
  test(checkout: string): void;
  pack(checkout: string): void;
}

export class ReleaseFault extends Error {}

/** Returns the commit of the release. */
export function release(options: ReleaseOptions, { root, getNow, test, pack }: ReleaseSteps): string {
  const reason = whyRefused(options, root);
  if (reason !== null) throw new ReleaseFault(reason);
  const folder = mkdtempSync(join(tmpdir(), 'dms-release-'));
  const checkout = join(folder, 'checkout');
  run(root, 'git', 'worktree', 'add', '--quiet', '--detach', checkout, 'HEAD');
  try {
    const commit = commitVersion(checkout, options.version, getNow());
    test(checkout);
    pack(checkout);
    if (!options.isDryRun) moveBranch(root, commit, options);
    return commit;
  } finally {
    run(root, 'git', 'worktree', 'remove', '--force', checkout);
    rmSync(folder, { recursive: true });
  }
}

/** The reason for which there can be no such release now; null when there can. */
export function whyRefused({ version, isDryRun }: ReleaseOptions, root: string): string | null {
  const git = (...args: string[]) => capture(root, 'git', ...args);
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  if (!isVersion(version)) return 'a version must have the form MAJOR.MINOR.PATCH, such as 1.2.0';
  const { version: current } = JSON.parse(read('package.json')) as { version: string };
  if (!isNewer(version, current)) return `the version must be newer than ${current}`;
  if (git('tag', '--list', tagOf(version)) !== '') return `there is a tag ${tagOf(version)} already`;
  const branch = git('rev-parse', '--abbrev-ref', 'HEAD');
  // A dry run moves no branch, so it may be tried from any.
  if (!isDryRun && branch !== BRANCH) return `a release is made on ${BRANCH}, and this is ${branch}`;
  if (git('status', '--porcelain') !== '') return 'there are changes that are not committed';
  if (unreleasedNotes(read('CHANGELOG.md')) === null)
    return 'CHANGELOG.md must list at least one change under "Unreleased"';
  return null;
}

function commitVersion(checkout: string, version: string, now: Date): string {
  const edit = (path: string, change: (text: string) => string) => {
    const file = join(checkout, path);
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  };
  for (const path of Object.keys(STAMPED_FILES)) edit(path, (text) => stampVersion(path, text, version));
  edit('CHANGELOG.md', (text) => dateUnreleased(text, version, now.toISOString().slice(0, 10)));
  run(checkout, 'git', 'commit', '--quiet', '--all', '--message', `Release ${version}`);
  return capture(checkout, 'git', 'rev-parse', 'HEAD');
}

/** Fails when the branch has moved meanwhile, since the commit was tested without what came. */
function moveBranch(root: string, commit: string, { version, isTagged }: ReleaseOptions): void {
  run(root, 'git', 'merge', '--quiet', '--ff-only', commit);
  if (isTagged)
    run(root, 'git', 'tag', '--annotate', '--message', `Release ${version}`, tagOf(version), commit);
}
