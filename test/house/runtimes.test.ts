/** The versions of Node.js that are tested are those that package.json allows and the image ships. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { RUNTIMES } from '../support/runtimes.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('The tested versions of Node.js', () => {
  it('begin with the least that package.json allows', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    assert.equal(`>=${RUNTIMES[0].replace(/\.0$/, '')}`, engines.node);
  });

  it('end with the one that the image ships', () => {
    const shipped = /^FROM node:([\d.]+)-/m.exec(read('Dockerfile'))?.[1];
    assert.equal(RUNTIMES.at(-1), shipped);
  });
});
