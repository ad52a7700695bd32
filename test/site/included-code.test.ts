/** Code in documents that also exists as a file, named in a comment before it, equals that file. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('The receivers on the page about webhooks', () => {
  const page = read('docs/webhooks.md');
  const shown = [...page.matchAll(/^<!-- (\S+) -->\n```\w+\n([\s\S]*?)^```$/gm)];

  it('equals the examples that are tested against the service', () => {
    assert.deepEqual(
      shown.map(([, path]) => path),
      ['ts', 'py', 'go'].map((type) => `client/examples/verify-webhook/server.${type}`),
    );
    for (const [, path, code] of shown) assert.equal(code, read(path as string), path);
  });
});
