/** Loads TypeScript as JavaScript, which is cached on disk for the next process. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = 1;
const folder = join(homedir(), '.cache', 'device-monitoring-service', 'typescript');

export async function load(url, context, nextLoad) {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'file:' || !pathname.endsWith('.ts')) return nextLoad(url, context);
  return { format: 'module', source: await stripped(fileURLToPath(url)), shortCircuit: true };
}

/** One cached file for each source; it begins with the hash of its source. */
async function stripped(path) {
  const source = readFileSync(path, 'utf8');
  const head = `//${VERSION} ${hashOf(source)}\n`;
  const kept = join(folder, `${hashOf(path)}.js`);
  const found = readIfExists(kept);
  if (found?.startsWith(head)) return found.slice(head.length);
  const { default: blankTypes } = await import('ts-blank-space');
  const code = blankTypes(source, ({ pos }) => {
    throw new Error(`${path}, character ${pos}: this syntax of TypeScript is not only types`);
  });
  keep(kept, head + code);
  return code;
}

const hashOf = (text) => createHash('sha1').update(text).digest('hex');

function readIfExists(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Renamed when complete, because other processes read it. Without write access nothing is cached. */
function keep(path, text) {
  const unfinished = `${path}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(unfinished, text);
    renameSync(unfinished, path);
  } catch {}
}
