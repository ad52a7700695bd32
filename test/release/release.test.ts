/** `npm run release` on a repository of its own: the version and its commit, or nothing at all. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ReleaseOptions, type ReleaseSteps, release, whyRefused } from '../../dev/release/release.ts';
import { createRepository, type Repository } from './repository.ts';

const OPTIONS: ReleaseOptions = { version: '99.0.0', isDryRun: false, isTagged: false };
const NOW = new Date('2031-02-03T04:05:06Z');

describe('npm run release', () => {
  let original: Repository;
  let repository: Repository;
  let start: string;
  before(() => {
    original = createRepository();
    start = original.git('rev-parse', 'HEAD');
  });
  beforeEach(() => {
    repository = original.copy();
  });
  afterEach(() => repository.remove());
  after(() => original.remove());

  const steps = (given: Partial<ReleaseSteps> = {}): ReleaseSteps => ({
    root: repository.root,
    getNow: () => NOW,
    test() {},
    pack() {},
    ...given,
  });
  const assertUntouched = () => {
    assert.equal(repository.git('rev-parse', 'main'), start);
    assert.equal(repository.git('status', '--porcelain'), '');
    assert.equal(repository.git('worktree', 'list').split('\n').length, 1);
    assert.equal(repository.git('tag'), '');
  };

  it('moves the branch to a commit of the version, and tags nothing', () => {
    const commit = release(OPTIONS, steps());
    assert.equal(repository.git('rev-parse', 'main'), commit);
    assert.equal(repository.git('log', '--format=%s', '-1'), 'Release 99.0.0');
    assert.match(readFileSync(join(repository.root, 'package.json'), 'utf8'), /"version": "99\.0\.0"/);
    const changelog = readFileSync(join(repository.root, 'CHANGELOG.md'), 'utf8');
    assert.match(changelog, /## Unreleased\n\nNothing yet\.\n\n## 99\.0\.0 \(2031-02-03\)\n\n### Added/);
    assert.equal(repository.git('status', '--porcelain'), '');
    assert.equal(repository.git('tag'), '');
  });

  it('tags the commit on request', () => {
    const commit = release({ ...OPTIONS, isTagged: true }, steps());
    assert.equal(repository.git('rev-list', '-1', 'v99.0.0'), commit);
  });

  it('tests and packs the stamped commit, in a checkout that is gone afterwards', () => {
    const seen: string[] = [];
    const look = (checkout: string) => {
      seen.push(checkout);
      assert.match(readFileSync(join(checkout, 'deploy/chart/Chart.yaml'), 'utf8'), /\nappVersion: 99\.0\.0/);
    };
    release(OPTIONS, steps({ test: look, pack: look }));
    assert.equal(seen.length, 2);
    assert.notEqual(seen[0], repository.root);
    assert.ok(!existsSync(seen[0] as string));
  });

  for (const step of ['test', 'pack'] as const) {
    it(`leaves everything as it was when the step "${step}" fails`, () => {
      const fail = () => {
        throw new Error('red');
      };
      assert.throws(() => release({ ...OPTIONS, isTagged: true }, steps({ [step]: fail })), /red/);
      assertUntouched();
    });
  }

  it('leaves everything as it was after a dry run, on whatever branch', () => {
    release({ ...OPTIONS, isDryRun: true, isTagged: true }, steps());
    assertUntouched();
    repository.git('switch', '--quiet', '--create', 'topic');
    assert.equal(whyRefused({ ...OPTIONS, isDryRun: true }, repository.root), null);
  });

  it('releases nothing when the branch moves during the tests', () => {
    const test = () => void repository.git('commit', '--quiet', '--allow-empty', '--message', 'Go on');
    assert.throws(() => release(OPTIONS, steps({ test })));
    assert.equal(repository.git('log', '--format=%s', '-1'), 'Go on');
  });

  const refusals: Record<string, [spoil: () => void, options: Partial<ReleaseOptions>, reason: RegExp]> = {
    'a version of another form': [() => {}, { version: 'v1.2' }, /MAJOR\.MINOR\.PATCH/],
    'a version that is not newer': [() => {}, { version: '0.0.9' }, /must be newer than/],
    'a version with a tag': [() => repository.git('tag', 'v99.0.0'), {}, /there is a tag v99\.0\.0/],
    'another branch': [() => repository.git('switch', '-qc', 'topic'), {}, /made on main, and this is topic/],
    'changes that are not committed': [() => repository.write('new.txt', ''), {}, /not committed/],
    'a changelog without a change': [
      () => {
        repository.write(
          'CHANGELOG.md',
          '## Unreleased\n\nNothing yet.\n\n## 0.0.1 (2020-01-01)\n\n- Old.\n',
        );
        repository.git('commit', '-qam', 'Empty it');
      },
      {},
      /at least one change under "Unreleased"/,
    ],
  };
  for (const [title, [spoil, options, reason]] of Object.entries(refusals)) {
    it(`refuses ${title}`, () => {
      spoil();
      assert.throws(() => release({ ...OPTIONS, ...options }, steps()), reason);
    });
  }
});
