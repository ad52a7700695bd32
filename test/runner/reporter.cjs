/**
 * Mocha's own report, then with `slowest` the slowest tests, hooks and files. With `report=FILE` the counts and the
 * duration of each file are written there as JSON.
 */
const { writeFileSync } = require('node:fs');
const { relative } = require('node:path');
const { reporters } = require('mocha');

const SLOWEST_LISTED = 30;

module.exports = class TestReport extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    this.listsSlowest = options.reporterOptions?.slowest !== undefined;
    this.reportFile = options.reporterOptions?.report;
    /** Every test and every run of a hook. */
    this.timings = [];
    runner.on('test end', (test) => this.time(test, 'test'));
    runner.on('hook end', (hook) => this.time(hook, 'hook'));
  }

  time(runnable, kind) {
    const { duration: ms = 0, file } = runnable;
    if (file)
      this.timings.push({ kind, ms, file: relative('', file), title: runnable.titlePath().join(' › ') });
  }

  epilogue() {
    try {
      super.epilogue();
    } catch {
      // A hook that failed in another process lacks what the report wants to show of it.
      for (const { title, err } of this.failures) process.stdout.write(`\n${title}\n${err?.stack}\n`);
    }
    if (this.listsSlowest) process.stdout.write(slowest(this.timings));
    if (this.reportFile) writeFileSync(this.reportFile, JSON.stringify(this.counts()));
  }

  counts() {
    const { passes: passed, failures: failed, pending: skipped } = this.stats;
    return { passed, failed, skipped, durationsMs: durationsOf(this.timings) };
  }
};

function slowest(timings) {
  const ofTests = timings.map(({ file, title, ms }) => ({ ms, text: `${file}: ${title}` }));
  const ofFiles = [...new Set(timings.map(({ file }) => file))].map((file) => {
    const own = timings.filter((each) => each.file === file);
    const hooks = sum(own.filter(({ kind }) => kind === 'hook'));
    return { ms: sum(own), text: `${file} (${seconds(hooks)} in hooks)` };
  });
  const lines = [
    ...section('Slowest tests and hooks, in seconds', ofTests),
    ...section('Slowest files, in seconds', ofFiles),
  ];
  return `${lines.join('\n')}\n\n`;
}

function section(heading, entries) {
  const first = entries.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST_LISTED);
  return [`\n${heading}`, ...first.map(({ ms, text }) => `${seconds(ms).padStart(8)}  ${text}`)];
}

const durationsOf = (timings) =>
  Object.fromEntries(
    [...new Set(timings.map(({ file }) => file))].map((file) => [
      file,
      sum(timings.filter((each) => each.file === file)),
    ]),
  );

const sum = (timings) => timings.reduce((total, { ms }) => total + ms, 0);

const seconds = (ms) => (ms / 1000).toFixed(1);
