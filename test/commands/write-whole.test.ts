/** Files that have their names only once they are complete. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeWhole } from '../../src/commands/write-whole.ts';

describe('A file that is written whole', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-whole-'));
  const file = join(folder, 'backup.dump');
  after(() => rmSync(folder, { recursive: true }));

  /** A writer that has begun, and ends when it is told; without a content it fails. */
  async function begin(content: string | null, options = {}) {
    const steps = new EventEmitter();
    const begun = once(steps, 'begun');
    const write = async (path: string) => {
      await appendFile(path, 'begun ');
      const ended = once(steps, 'end');
      steps.emit('begun', path);
      await ended;
      if (content === null) throw new Error('broken off');
      await appendFile(path, content);
    };
    const written = writeWhole(file, write, options);
    const [path] = await begun;
    return { path: path as string, written, end: () => steps.emit('end') };
  }

  it('holds all that the last writer has written, whatever others write meanwhile', async () => {
    const [first, second, failing] = [await begin('first'), await begin('second'), await begin(null)];
    first.end();
    await first.written;
    assert.equal(readFileSync(file, 'utf8'), 'begun first');
    failing.end();
    await assert.rejects(failing.written, /broken off/);
    second.end();
    await second.written;
    assert.equal(readFileSync(file, 'utf8'), 'begun second');
    assert.deepEqual(readdirSync(folder), ['backup.dump']);
  });

  it('is for its owner alone from its first byte on, where that is asked for', async () => {
    // What an interrupted writer of an earlier release has left.
    writeFileSync(`${file}.unfinished`, '', { mode: 0o644 });
    const { path, written, end } = await begin('secret', { isPrivate: true });
    assert.equal(statSync(path).mode & 0o777, 0o600);
    end();
    await written;
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });
});
