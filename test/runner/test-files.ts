import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Every file of tests, by path from the root. */
export const allTests = (): string[] =>
  readdirSync(`${ROOT}test`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/${path}`)
    .sort();
