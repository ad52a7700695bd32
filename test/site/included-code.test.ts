/** Code in documents that stands in a file as well, named in a comment before it: both are the same. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('The receivers that the page about webhooks shows', () => {
  const page = read('docs/webhooks.md');
  const shown = [...page.matchAll(/^<!-- (\S+) -->\n```\w+\n([\s\S]*?)^```$/gm)];

  it('are the examples that are tried against the service', () => {
    assert.deepEqual(
      shown.map(([, path]) => path),
      ['ts', 'py', 'go'].map((type) => `client/examples/verify-webhook/server.${type}`),
    );
    for (const [, path, code] of shown) assert.equal(code, read(path as string), path);
  });
});
