/** The package of the client as it is published. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

describe('The package of the typed client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-client-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('compiles by itself, and needs no package', () => {
    const { dependencies } = JSON.parse(readFileSync(inRepository('client/package.json'), 'utf8'));
    assert.equal(dependencies, undefined);
    const tsc = inRepository('node_modules/typescript-native/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', inRepository('client'), '--outDir', folder]);
    const script = `const c = await import(${JSON.stringify(join(folder, 'index.js'))}); console.log(Object.keys(c).join())`;
    const exported = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    assert.deepEqual(exported.trim().split(','), [
      'ApiError',
      'WebhookVerificationError',
      'createClient',
      'each',
      'verifyWebhook',
      'waitUntilApplied',
    ]);
  });
});
