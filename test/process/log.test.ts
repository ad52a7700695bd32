/** The log of a process whose terminal is closed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

const ROOT = new URL('../../', import.meta.url);
/** Closes the terminal once the program has written to it, and then its standard input; fails when it does not end. */
const TERMINAL = `import os, pty, subprocess, sys
terminal, other = pty.openpty()
program = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=other)
os.close(other)
os.read(terminal, 1)
os.close(terminal)
program.stdin.close()
try:
    program.wait(30)
finally:
    program.kill()`;
const PROGRAM = `import { createLog } from './src/process/log.ts';
const log = createLog('info');
log.info('It runs');
process.stdin.resume().on('end', () => {
  log.info('It stops');
  log.flush(() => setImmediate(() => process.stderr.write('It has stopped\\n')));
});`;

describe('The log', () => {
  it('lets a process stop in order whose terminal was closed', function () {
    const program = [process.execPath, '--import=#typescript', '--input-type=module', '-e', PROGRAM];
    const { status, stderr, error } = spawnSync('python3', ['-c', TERMINAL, ...program], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    if (error) return this.skip();
    assert.equal(status, 0, stderr);
    assert.match(stderr, /^It has stopped$/m);
  });
});
