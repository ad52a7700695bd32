/** The files that a file of the repository loads, read from its imports. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout, with a slash at its end. Files are named by their path from it. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const IMPORT =
  /^(?:import|export)\s(?!type\s)[^'"]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'|^import\s+'(\.[^']+)'/gm;

/** Its direct imports, except types, which load nothing. */
export function importsOf(file: string): string[] {
  if (!existsSync(ROOT + file) || !/\.(ts|mjs|cjs)$/.test(file)) return [];
  const text = readFileSync(ROOT + file, 'utf8');
  return [...text.matchAll(IMPORT)].map(([, from, dynamic, bare]) =>
    relative(ROOT, resolve(join(ROOT, dirname(file)), (from ?? dynamic ?? bare) as string)),
  );
}

/** The files, and all files that they load, directly or not. */
export function filesLoadedBy(files: readonly string[]): Set<string> {
  const loaded = new Set(files);
  for (const file of loaded) for (const imported of importsOf(file)) loaded.add(imported);
  return loaded;
}
