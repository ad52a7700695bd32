/** `npm test -- --changed` runs the tests that a change can turn red. */
import assert from 'node:assert/strict';
import { testsOf } from '../runner/changed-tests.ts';

const IMPORTS: Record<string, string[]> = {
  'test/alerts/rules.test.ts': ['src/alerts/rules.ts'],
  'test/alerts/alerts.test.ts': ['test/support/service.ts'],
  'test/keys/keys.test.ts': ['test/support/service.ts'],
  'test/house/links.test.ts': [],
  'test/support/service.ts': ['src/compose/service.ts', 'src/process/config.ts'],
  'src/compose/service.ts': ['src/alerts/alerts.service.ts'],
  'src/alerts/alerts.service.ts': ['src/alerts/rules.ts', 'src/alerts/limits.ts'],
};
const GRAPH = {
  tests: Object.keys(IMPORTS).filter((file) => file.endsWith('.test.ts')),
  importsOf: (file: string) => IMPORTS[file] ?? [],
};

describe('npm test -- --changed', () => {
  const cases: Record<string, [changed: string, tests: string[]]> = {
    'runs, for a pure file, the tests that import it': ['src/alerts/rules.ts', ['test/alerts/rules.test.ts']],
    'runs, for a pure file that none imports, the tests of its slice': [
      'src/alerts/limits.ts',
      ['test/alerts/rules.test.ts', 'test/alerts/alerts.test.ts'],
    ],
    'runs, for a file with effects, all tests of its slice': [
      'src/alerts/alerts.service.ts',
      ['test/alerts/rules.test.ts', 'test/alerts/alerts.test.ts'],
    ],
    'runs, for a file that tests share, those that share it': [
      'src/process/config.ts',
      ['test/alerts/alerts.test.ts', 'test/keys/keys.test.ts'],
    ],
    'runs, for the composition of the service, all tests': ['src/compose/service.ts', GRAPH.tests],
    'runs, for a document, the tests that read files': ['docs/contract.md', ['test/house/links.test.ts']],
    'runs, for a test, that test': ['test/keys/keys.test.ts', ['test/keys/keys.test.ts']],
  };
  for (const [title, [changed, tests]] of Object.entries(cases))
    it(title, () => assert.deepEqual(testsOf([changed], GRAPH), tests));

  it('runs nothing when nothing differs', () => assert.deepEqual(testsOf([], GRAPH), []));
});
