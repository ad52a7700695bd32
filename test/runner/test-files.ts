import { readdirSync } from 'node:fs';
import { ROOT } from '../../dev/source/imports.ts';

/** All test files, by path from the root. */
export const allTests = (): string[] =>
  readdirSync(`${ROOT}test`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/${path}`)
    .sort();
