/**
 * `npm test`: every test, several files at a time, beside the static checks.
 *
 *   npm test -- FILE…       these files, one after the other, without the checks
 *   npm test -- --changed   the tests that reach what differs from main, and the checks
 *   npm test -- --slowest   also lists the slowest tests and files, and keeps the durations that order the files
 *
 * Nothing runs twice: a test that fails beside others has failed. The last line is `N passed, N failed`.
 */

import { changedTests } from './runner/changed-tests.ts';
import { startChecks } from './runner/checks.ts';
import { keepDurations, longestFirst } from './runner/durations.ts';
import { type Outcome, runMocha } from './runner/mocha.ts';
import { PROGRAMS_PATH, printMissingPrograms } from './runner/programs.ts';
import { allTests } from './runner/test-files.ts';

/** Number of concurrent files: one more than processors, since many of them mostly wait. */
const FILES_AT_ONCE = 3;
/** This few files finish before the servers of several processes are up. */
const FEW_FILES = 12;

const print = (text: string) => void process.stdout.write(text);
const given = process.argv.slice(2);
const isSlowest = given.includes('--slowest');
const named = given.filter((each) => !each.startsWith('--'));
const differing = given.includes('--changed') ? changedTests() : null;

process.env.PATH = PROGRAMS_PATH;
process.exitCode = await run();

/** The exit code. */
async function run(): Promise<number> {
  const checks = named.length > 0 ? null : startChecks(print, differing?.changed);
  const tests = await runTests();
  const failedChecks = (await checks) ?? [];
  if (failedChecks.length > 0) print(`\nFailed: ${failedChecks.join(', ')}\n`);
  if (tests.skipped > 0) print(`${tests.skipped} skipped\n`);
  const failed = tests.failed + failedChecks.length;
  print(`${tests.passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

async function runTests(): Promise<Outcome> {
  if (named.length > 0) return runMocha({ files: named, filesAtOnce: 1, isSlowest });
  printMissingPrograms(print);
  if (!differing) return runAll();
  const { files, reasons } = differing;
  print(`${reasons.join('\n')}\n`);
  if (files.length === 0) return { passed: 0, failed: 0, skipped: 0, durationsMs: {} };
  return runMocha({
    files: longestFirst(files),
    filesAtOnce: files.length > FEW_FILES ? FILES_AT_ONCE : 1,
    isSlowest,
  });
}

async function runAll(): Promise<Outcome> {
  const outcome = await runMocha({ files: longestFirst(allTests()), filesAtOnce: FILES_AT_ONCE, isSlowest });
  if (isSlowest) keepDurations(outcome.durationsMs);
  return outcome;
}
