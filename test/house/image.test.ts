/** The image can be built: what the Dockerfile copies from the repository is sent to the builder. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const linesOf = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8').split('\n');

describe('The image', () => {
  it('copies only what .dockerignore lets through', () => {
    const sent = linesOf('.dockerignore').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const copied = linesOf('Dockerfile')
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1));
    assert.ok(copied.length > 0);
    const missing = copied.filter((path) => !sent.some((each) => `${path}/`.startsWith(`${each}/`)));
    assert.deepEqual(missing, []);
  });
});
