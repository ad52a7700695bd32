/** The tested versions of Node.js match package.json and the image. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { RUNTIMES } from '../support/runtimes.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('The tested versions of Node.js', () => {
  it('begins with the minimum of package.json', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    assert.equal(`>=${RUNTIMES[0].replace(/\.0$/, '')}`, engines.node);
  });

  it('ends with the version of the image', () => {
    const shipped = /^FROM node:([\d.]+)-/m.exec(read('Dockerfile'))?.[1];
    assert.equal(RUNTIMES.at(-1), shipped);
  });
});
