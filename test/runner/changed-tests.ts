/**
 * Finds by imports the tests that a change can turn red.
 *
 * Nearly every test reaches nearly every file through the composed service, so that path counts only for the
 * tests of the file's own slice: `src/alerts/x.ts` runs tests that import it directly or over other files,
 * and, unless it is pure, all of `test/alerts`. A change of the composition itself runs everything. Other
 * files than code (documents, the page, scripts) run the tests that read files: house and site.
 */
import { execFileSync } from 'node:child_process';
import { importsOf, ROOT } from '../../dev/source/imports.ts';
import { allTests } from './test-files.ts';

export interface ChangedTests {
  changed: string[];
  files: string[];
  /** One line for people that names the two compared states. */
  reasons: string[];
}

export function changedTests(): ChangedTests {
  const changed = changedFiles();
  const files = testsOf(changed, { tests: allTests(), importsOf });
  const shown = changed.length > 10 ? `${changed.length} files` : changed.join(', ') || 'nothing';
  return { changed, files, reasons: [`Differs from main: ${shown}. Runs ${files.length} files of tests.`] };
}

/**
 * Commits of this branch, uncommitted changes, and new files. On main itself: changes since the last commit.
 */
function changedFiles(): string[] {
  const base = git('merge-base', 'HEAD', 'main')[0] ?? 'HEAD';
  return [...new Set([...git('diff', '--name-only', base), ...git('ls-files', '-o', '--exclude-standard')])];
}

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);

/** The composition root, which imports all slices. */
const COMPOSED = 'src/compose/';
const ROLE = /\.(schemas|routes|service|repository)\.ts$/;
const READ_FILES = /^test\/(house|site)\//;

interface Graph {
  tests: string[];
  importsOf(file: string): string[];
}

export function testsOf(changed: string[], { tests, importsOf }: Graph): string[] {
  if (changed.some((file) => file.startsWith(COMPOSED))) return tests;
  const reaches = reachedBy(new Set(changed), importsOf);
  const isOfSlice = sliceTests(changed.filter((file) => !isPure(file)));
  const readsFiles = changed.some((file) => !/\.(ts|mjs|cjs)$/.test(file));
  const found = tests.filter(
    (test) => reaches(test) || isOfSlice(test) || (readsFiles && READ_FILES.test(test)),
  );
  // A pure file that is tested through the service alone.
  return found.length > 0 ? found : tests.filter(sliceTests(changed));
}

const isPure = (file: string) => !ROLE.test(file);

function sliceTests(changed: string[]): (test: string) => boolean {
  const slices = new Set(changed.map((file) => /^src\/([^/]+)\//.exec(file)?.[1]).filter(Boolean));
  return (test) => slices.has(test.split('/')[1]);
}

/** Whether a file is one of the wanted, or imports one of them on a path outside of the composed service. */
function reachedBy(wanted: Set<string>, importsOf: Graph['importsOf']): (file: string) => boolean {
  const known = new Map<string, boolean>();
  function reaches(file: string): boolean {
    if (wanted.has(file)) return true;
    const before = known.get(file);
    if (before !== undefined) return before;
    known.set(file, false); // breaks circles of type imports
    const found = importsOf(file).some((each) => !each.startsWith(COMPOSED) && reaches(each));
    known.set(file, found);
    return found;
  }
  return reaches;
}
