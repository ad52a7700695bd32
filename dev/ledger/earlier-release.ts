/**
 * The previous release, built in a folder of its own: the last tag of a version, or, in a repository without
 * tags, the commit that dev/ledger/last-release.txt names.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RECORDED = new URL('./last-release.txt', import.meta.url);
const ARCHIVE_BYTES_MAX = 256 * 1024 * 1024;

/** The tag or commit; null without its history, as in a shallow clone. */
export function findEarlierRelease(): string | null {
  const tag = git('describe', '--tags', '--match', 'v[0-9]*', '--abbrev=0', 'HEAD^');
  const name = tag ?? readFileSync(RECORDED, 'utf8').trim();
  return git('merge-base', '--is-ancestor', name, 'HEAD') === null ? null : name;
}

/** Null when the command failed. */
function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

/** Returns the folder of the built release. It uses the packages of this checkout. */
export function buildEarlierRelease(name: string, folder: string): string {
  const root = join(folder, 'release-before');
  mkdirSync(root);
  const archive = execFileSync('git', ['archive', name], { cwd: ROOT, maxBuffer: ARCHIVE_BYTES_MAX });
  execFileSync('tar', ['-x', '-C', root], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  execFileSync('npm', ['run', '-s', 'build'], { cwd: root, stdio: 'inherit' });
  return root;
}
