/** `npm run demo` as a process; its story is told over a minute, which is more than a suite has. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { eventually } from './support/fleet.ts';
import { alive, descendantsOf, endAll, newDataDir, run } from './support/stack.ts';

describe('npm run demo', () => {
  after(endAll);

  it('that is stopped while its own service starts leaves no process and no file', async () => {
    const temporary = newDataDir();
    mkdirSync(temporary);
    const demo = run('demo', { DATA_DIR: `${temporary}/nobody`, TMPDIR: temporary });
    await demo.line(/starts one of its own/);
    const isPostgres = ({ command }: { command: string }) => command.includes('postgres');
    const started = await eventually(
      async () => descendantsOf(demo.pid),
      (found) => found.some(isPostgres),
    );
    await demo.end('SIGTERM');
    await eventually(
      async () => alive(started),
      (left) => left.length === 0,
    );
    assert.ok(existsSync(temporary));
    const ours = readdirSync(temporary).filter((name) => name.startsWith('dms-demo-'));
    assert.deepEqual(ours, []);
  });
});
