/** The package of the client as it is published. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

describe('The package of the typed client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-client-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('builds when it is installed from a checkout, and needs no package', () => {
    const { dependencies } = JSON.parse(readFileSync(inRepository('client/package.json'), 'utf8'));
    assert.equal(dependencies, undefined);
    rmSync(inRepository('client/dist'), { recursive: true, force: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const install = ['install', '--offline', '--no-audit', '--no-fund', inRepository('client')];
    execFileSync('npm', install, { cwd: folder, stdio: 'pipe' });
    const script = `const c = await import('device-monitoring-client'); console.log(Object.keys(c).join())`;
    const exported = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.deepEqual(exported.trim().split(','), [
      'ApiError',
      'ConnectionError',
      'WebhookVerificationError',
      'createClient',
      'each',
      'verifyWebhook',
      'waitUntilApplied',
    ]);
  });
});
