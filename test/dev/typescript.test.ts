/** `node --import=#typescript`, which runs TypeScript without a build. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('A TypeScript file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-typescript-'));
  const file = join(folder, 'written.ts');
  after(() => rmSync(folder, { recursive: true }));

  /** The output of the file; its cache is empty at first. */
  async function run(source: string): Promise<string> {
    writeFileSync(file, source);
    const env = { ...process.env, HOME: folder };
    const args = ['--import=#typescript', file];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
    return stdout.trim();
  }

  it('loads from the cache until the file has changed, with its own lines and columns in stack traces', async () => {
    const first = "const text: string = 'first';\nconsole.log(text);\n";
    assert.equal(await run(first), 'first');
    assert.equal(await run(first), 'first');
    const source =
      'interface Left {\n  out: string;\n}\nconst at = (of?: Left): string => new Error(of?.out).stack ?? "";\nconsole.log(at());\n';
    assert.match(await run(source), /written\.ts:4:35\)?\n/);
  });

  it('refuses a file that needs more than the removal of types, with its path', async () => {
    await assert.rejects(
      run('enum Colour {\n  red,\n}\nconsole.log(Colour.red);\n'),
      /written\.ts, character \d+: this syntax of TypeScript is not only types/,
    );
  });
});
