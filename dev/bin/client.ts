/** `npm run client`: refreshes the generated files of the clients from openapi.json. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runMain } from '../../src/process/run-main.ts';
import { generateClientFiles } from '../client/generated-files.ts';

const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

await runMain(async () => {
  const document = JSON.parse(readFileSync(inRepository('openapi.json'), 'utf8'));
  for (const [path, text] of Object.entries(await generateClientFiles(document))) {
    mkdirSync(dirname(inRepository(path)), { recursive: true });
    writeFileSync(inRepository(path), text);
    process.stdout.write(`${path} is up to date\n`);
  }
});
