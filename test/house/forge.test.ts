/** The workflows of a public forge run commands that exist, with pinned actions and as few rights as possible. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { ROOT } from '../../dev/source/imports.ts';
import { RUNTIMES } from '../support/runtimes.ts';

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  container?: string;
  'timeout-minutes'?: number;
  permissions?: Record<string, string>;
  steps: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

const FOLDER = join(ROOT, '.github/workflows');
/** Rights beyond reading, by workflow and job. */
const RIGHTS: Record<string, string[]> = {
  'release.yml pack': ['id-token', 'attestations'],
  'release.yml draft': ['contents'],
};

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { scripts } = JSON.parse(read('package.json'));

for (const file of readdirSync(FOLDER)) {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  const workflow = load(text) as Workflow;
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, job]) => job.steps);

  describe(`The workflow ${file}`, () => {
    it('may only read, apart from jobs that need more', () => {
      assert.deepEqual(workflow.permissions, { contents: 'read' });
      for (const [name, { permissions = {} }] of jobs) {
        const written = Object.keys(permissions).filter((right) => permissions[right] === 'write');
        assert.deepEqual(written, RIGHTS[`${file} ${name}`] ?? []);
      }
    });

    it('gives rights to no code of strangers', () => assert.ok(!('pull_request_target' in workflow.on)));

    it('ends hung jobs', () => {
      for (const [, job] of jobs) assert.ok(job['timeout-minutes']);
    });

    it('pins each action by commit, and says which version that is', () => {
      const used = text.match(/uses: .*/g) ?? [];
      assert.equal(used.length, steps.filter(({ uses }) => uses).length);
      for (const line of used) assert.match(line, /^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    });

    it('keeps no credentials in the checkout', () => {
      const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      for (const each of checkouts) assert.equal(each.with?.['persist-credentials'], false);
    });

    it('runs scripts and programs of the repository that exist', () => {
      for (const { run = '' } of steps) {
        for (const [, name = ''] of run.matchAll(/npm run ([\w:]+)/g)) assert.ok(scripts[name], name);
        if (run.startsWith('.')) assert.ok(existsSync(join(ROOT, run)), run);
      }
    });

    it('hands names of branches and tags to commands as variables, which no shell parses', () => {
      for (const { run = '' } of steps) assert.ok(!run.includes('${{'), run);
    });

    it('runs on the base image and the version of Node.js that are shipped', () => {
      const base = /^FROM (\S+) AS base$/m.exec(read('Dockerfile'))?.[1];
      for (const [, { container = base }] of jobs) assert.equal(container, base);
      const versions = steps.flatMap((step) => step.with?.['node-version'] ?? []);
      assert.deepEqual(
        versions.filter((each) => each !== RUNTIMES.at(-1)),
        [],
      );
    });
  });
}
