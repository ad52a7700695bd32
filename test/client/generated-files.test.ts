/** The generated files of the clients match the current OpenAPI document. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { generateClientFiles } from '../../dev/client/generated-files.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('The generated files of the clients', () => {
  it('matches the OpenAPI document; `npm run client` refreshes the files', async () => {
    const files = await generateClientFiles(JSON.parse(read('openapi.json')));
    for (const [path, text] of Object.entries(files))
      assert.ok(read(path) === text, `${path} is out of date`);
  });
});
