/** What restarts the service of `npm run dev`. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchSaves } from '../../dev/local/watch-saves.ts';

describe('A watch for saved files', () => {
  const root = mkdtempSync(join(tmpdir(), 'dms-saves-'));
  after(() => rmSync(root, { recursive: true }));

  it('keeps files that are saved while nobody waits for them, as during a restart', async () => {
    mkdirSync(join(root, 'src'));
    const saves = watchSaves(root, ['src']);
    for (const name of ['service.ts~', 'service.ts']) writeFileSync(join(root, 'src', name), '');
    assert.deepEqual(await saves.next(), ['src/service.ts']);
    saves.stop();
  });
});
