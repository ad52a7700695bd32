/**
 * Files of the pages, read once. Their paths contain a hash of the content of all, so browsers may cache them
 * forever, and files name each other by relative paths.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Context } from 'koa';

export interface StaticFiles {
  has(path: string): boolean;
  send(ctx: Context): void;
  /** @throws when there is no such file. */
  pathOf(name: string): string;
}

interface StaticFile {
  bytes: Buffer;
  type: string;
}

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
};
const KEPT_FOR_GOOD = 'public, max-age=31536000, immutable';

export function readStaticFiles(prefix: string, files: Record<string, URL | string>): StaticFiles {
  const read = Object.entries(files).map(([name, file]) => ({ name, bytes: readFileSync(file) }));
  const hash = createHash('sha256');
  for (const { bytes } of read) hash.update(bytes);
  const folder = `${prefix}/${hash.digest('hex').slice(0, 12)}`;
  const byPath = new Map<string, StaticFile>(
    read.map(({ name, bytes }) => [`${folder}/${name}`, { bytes, type: typeOf(name) }]),
  );
  return {
    has: (path) => byPath.has(path),
    send(ctx) {
      const { bytes, type } = byPath.get(ctx.path) as StaticFile;
      ctx.set('Cache-Control', KEPT_FOR_GOOD);
      ctx.set('Content-Type', type);
      ctx.body = bytes;
    },
    pathOf(name) {
      const path = `${folder}/${name}`;
      if (!byPath.has(path)) throw new Error(`There is no static file ${name}`);
      return path;
    },
  };
}

const typeOf = (name: string): string => TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
