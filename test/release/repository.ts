/** A small git repository with the files that a release stamps and packs, as they are in this checkout. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { capture } from '../../dev/release/command.ts';
import { BRANCH } from '../../dev/release/release.ts';
import { STAMPED_FILES } from '../../dev/release/stamped-files.ts';
import { ROOT } from '../../dev/source/imports.ts';

const PACKED = [
  ...['client/src', 'client/tsconfig.json', 'client/README.md', 'client/LICENSE', 'client/python'],
  'deploy/chart',
];
const OTHERS = ['Dockerfile', '.gitignore'];
/** Git of the test knows neither a person nor the settings of the machine. */
const IDENTITY = [
  'user.name=Test',
  'user.email=test@example.com',
  'commit.gpgsign=false',
  'tag.gpgsign=false',
];

export const CHANGELOG = `# Changelog

## Unreleased

### Added

- A thing.

## 0.0.1 (2020-01-01)

- The beginning.
`;

export interface Repository {
  root: string;
  git(...args: string[]): string;
  write(path: string, text: string): void;
  copy(): Repository;
  remove(): void;
}

export function createRepository(): Repository {
  const repository = openRepository();
  const { root, git } = repository;
  for (const path of [...Object.keys(STAMPED_FILES), ...PACKED, ...OTHERS]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(ROOT, path), join(root, path), { recursive: true });
  }
  writeFileSync(join(root, 'CHANGELOG.md'), CHANGELOG);
  git('init', '--quiet', '--initial-branch', BRANCH);
  for (const setting of IDENTITY) git('config', ...(setting.split('=') as [string, string]));
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  return repository;
}

/** In a new folder. */
function openRepository(): Repository {
  const root = mkdtempSync(join(tmpdir(), 'dms-repository-'));
  return {
    root,
    git: (...args) => capture(root, 'git', ...args),
    write: (path, text) => writeFileSync(join(root, path), text),
    copy() {
      const copy = openRepository();
      cpSync(root, copy.root, { recursive: true });
      return copy;
    },
    remove: () => rmSync(root, { recursive: true }),
  };
}
